"""What came of a tool call: its failure, the answers of the user, and the agent's list of to-dos.

`failures` finds the line that tells what went wrong, `questions` what the user answered, `todos` what is to be done.
"""
