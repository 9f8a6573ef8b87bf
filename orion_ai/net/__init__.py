"""Networks: their architecture, and evaluators that answer a search's batches with them."""
