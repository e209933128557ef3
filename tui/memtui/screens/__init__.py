"""The modal screens: pagers, pickers, and the hand-off."""
