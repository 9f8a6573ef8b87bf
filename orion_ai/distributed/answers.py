"""Between an actor's event loop and its threads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

__all__ = ["answered"]

T = TypeVar("T")


async def answered(submit: Callable[[Callable[[T | BaseException], object]], None]) -> T:
    """What a thread answers, without keeping the event loop waiting.

    Args:
        submit: hands a request to the thread, together with the function that is to be told the answer or the error,
            once.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(found: T | BaseException) -> None:
        if done.done():  # the caller has gone
            return
        if isinstance(found, BaseException):
            done.set_exception(found)
        else:
            done.set_result(found)

    submit(lambda found: loop.call_soon_threadsafe(settle, found))
    return await done
