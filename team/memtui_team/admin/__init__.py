"""What the administrator of a team does on its server, and the state of the server."""
