"""What the user does with the open session: export, hand-off, other programs, full screen."""
