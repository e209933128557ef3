"""Reading one transcript into the work database, and its links to others.

Copies and forks of a transcript share entries. Each entry counts once, for the transcript that owns it; in the others
it is a foreign entry and is left out. A transcript that is found to own entries of another one displaces it there: the
other is read again without them.
"""
