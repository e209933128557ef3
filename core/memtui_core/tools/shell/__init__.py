"""Shell commands: the only place that splits one and that knows what programs do.

`commands` splits a text into simple commands and finds the program of each, `programs` holds what is known of programs,
`files` tells which files a command names, shows and writes, and `effects` whether it changes anything at all.
"""
