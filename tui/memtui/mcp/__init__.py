"""The memory as tools of an agent: a server of the Model Context Protocol on standard input and output.

`server` speaks the protocol, `schemas` says what the tools are called and take, `toolbox` answers their calls by
`observed` (what was written down) and `transcripts` (what was done), and `memory` opens the data folder.
"""
