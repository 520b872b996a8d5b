"""Policies in the forms that others keep them in: decision tables, DMN, models of other packages.

`frote.exchange.forms` lists the forms of files. What such a file says becomes rules, and rules become such a file; what
a form cannot say is an error that names the rule.
"""
