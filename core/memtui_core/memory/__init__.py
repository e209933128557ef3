"""Observations of agents and users, and the recall of turns from earlier sessions.

The append-only log `observations.jsonl` in the data folder is the only source of the observations. The folder
`observations` beside it holds their keyword index and vectors, and can be built from the log again.
"""
