"""Hand-offs: what a session did, as one text from which another agent can continue.

`calls` gives each tool call a key and keeps the last states, `items` renders the remaining calls, `summary` describes
the requests and open to-dos, and `model` joins everything into one text. `session` and `file` read the index; `start`
gives the text to a new session.
"""
