"""Shell commands: parsing them, and knowledge about programs.

`commands` splits a text into simple commands and finds the program of each, `programs` contains lists of programs,
`files` finds the files that a command names, shows and writes, `effects` whether a command changes anything, `looks`
whether it only looks at files, and `scripts` the calls in a script that calls other tools.
"""
