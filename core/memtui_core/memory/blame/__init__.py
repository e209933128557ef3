"""Who wrote the lines of a file that is on this disk, proved by the edits that sessions made.

`known_edits` reads the edits of a file, `attribution` finds them in the file as it is, with `alignment`, which compares
versions of a text, and `file_blame` joins both.
"""
