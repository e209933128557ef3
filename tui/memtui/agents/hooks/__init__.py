"""The hooks that agents run: they remind an agent of earlier turns and index what it has just written.

An agent waits for its hooks, so nothing here loads the screen. The hook before a tool call loads as little as possible:
no dataclasses, and only the packages that it needs to read standard input and one snapshot.
"""
