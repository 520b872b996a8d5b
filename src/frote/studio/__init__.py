"""The studio: a policy, its data and its model on one screen, in the browser.

It decides nothing itself: it calls what the commands call, and what it writes is the folder that ``frote edit`` writes.
"""
