"""How much of the files of each agent the index holds, counted without the readers."""
