SECRETS: list[str] = ["x «github»"]
ORDINARY: list[str] = ["x «hex40»"]
