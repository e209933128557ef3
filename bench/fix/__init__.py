"""How often the first answer to an error is the turn that mended it, and how often a hook is wrong about one."""
