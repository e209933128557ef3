"""Brook, an agent that does not exist: a session is a folder of JSON files, or some rows of an SQLite database.

<location>/<id>.brook/about.json      {"session", "cwd", "title", "parent"}
<location>/<id>.brook/0001.json ...   {"role", "text", "at", "started"}, a message each
<location>/brook.db                   sessions(id, cwd, title), messages(number, session, role, text, at, updated)
"""

from support.made_up_agent.reader import Brook

__all__ = ["Brook"]
