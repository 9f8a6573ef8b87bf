"""Ray: the same self-play and the same matches in processes, on one machine or many. Nothing else imports ray.

`cluster` starts or joins a cluster; `crew` keeps a number of actors alive; `workers`, `match_worker` and `servers` are
those actors, thin shells around `playing` and `batching`, which know nothing of Ray; `pool` plays an iteration,
`matches` a match.
"""
