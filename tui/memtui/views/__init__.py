"""The views, one package each; `registry` lists them."""
