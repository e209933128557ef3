"""What memtui does when an agent calls it: reminds it of earlier turns, and takes in what it has just written.

An agent waits for its hooks, so nothing here loads the screen, and what answers before a tool runs loads next to
nothing: no dataclass, and no package that is not needed to read standard input and one snapshot.
"""
