"""The views beside the transcript, a package each; `registry` lists them."""
