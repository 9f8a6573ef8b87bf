"""What all tests need."""

import signal

# A shell starts its background jobs with Ctrl-C ignored, and what they start inherits that: tests that interrupt a
# command would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
