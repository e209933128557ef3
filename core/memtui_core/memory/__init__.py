"""What agents and people write down to be remembered, and what is recalled of earlier sessions.

One append-only log, `observations.jsonl` in the data folder, is the truth; what makes it quick to search lies in the
folder `observations` beside it and can be made again.
"""
