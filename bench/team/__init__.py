"""A team's server with the sessions of 50 invented developers: pushing, and searching while others push."""
