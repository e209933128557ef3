"""The containers of transcripts, which several agents share."""
