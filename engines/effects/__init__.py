"""Effects of cards as data: a table of ops, what content files may say of them, programs, and the stack they run on.

For games whose cards are programs for one interpreter. A game keeps

- its op table (`ops.Ops`): a row an op, from which come the op's number, its word and keys in content files, the node
  at which it asks, and its text;
- its programs (`program.Program`): the effects of its content as one integer table, with an entry point each;
- its interpreter: kernels that run the op of the top frame, over the stack of `frames.make_frames`;
- what only its frames have, which `checks.check_stack` leaves to it.

Nothing here holds the state or the content of a game: a content file of a user's own is another table and another
program beside the first.
"""
