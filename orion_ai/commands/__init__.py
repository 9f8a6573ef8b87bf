"""The subcommands of `orion`: each module's docstring is its manual page, each `run(argv)` returns an exit code.

To add one: write `orion_ai/commands/<name>.py`, its schema (a frozen dataclass beside the code it configures) and
`configs/<name>.yaml`, and name it in `orion_ai.cli.COMMANDS`. `configuration.read` turns the words of the command line
into the dataclass.
"""
