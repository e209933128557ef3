"""The services behind the screen: the index, the observations, and the indexer process."""
