"""The memory tools for agents: a Model Context Protocol server on standard input and output.

`server` implements the protocol, `schemas` declares the tools, `toolbox` dispatches their calls to `observation_tools`,
`transcript_tools` and `show_tool`, and `backend` opens the data folder.
"""
