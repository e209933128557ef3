"""Brook, an agent that does not exist: a session is a folder of JSON files, or some rows of an SQLite database.

<location>/<id>.brook/about.json      {"session", "cwd", "title", "parent"}
<location>/<id>.brook/0001.json ...   {"role", "text", "at", "started", "call"}, a message each
<location>/brook.db                   sessions(id, cwd, title), messages(number, session, role, text, at, updated)
"""
