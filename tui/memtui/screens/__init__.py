"""The screens: each owns its state and joins widgets to workers."""
