"""Before a session is rewound: what is written, and which files have changed since."""
