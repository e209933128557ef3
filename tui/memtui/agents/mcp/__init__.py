"""The memory tools for agents: a Model Context Protocol server on standard input and output.

`server` implements the protocol, `registry` lists the tools, each an object of its own in `tools`, `toolbox` dispatches
their calls, and `backend` opens the data folder.
"""
