"""What the commands do, without a command line: values in, values out, so that a web page can stand beside it.

Nothing here prints. What is wrong is a `FroteError`, what must not go unsaid a warning; a run tells of its steps by a
callback and asks between them whether it is to go on.
"""
