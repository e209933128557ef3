"""What works behind the screen: the index, observations, and the indexer's process."""
