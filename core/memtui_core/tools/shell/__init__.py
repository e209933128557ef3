"""Shell commands: parsing them, and knowledge about programs.

`commands` splits a text into simple commands and finds the program of each, `programs` contains lists of programs,
`files` finds the files that a command names, shows and writes, and `effects` whether a command changes anything.
"""
