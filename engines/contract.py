"""The engine contract: nine kernels over one record, the declarations beside them, and the table the search gets.

A game is a subclass of `Game` that names its State dtype, its kernels, who knows each field, its observation's slices
and its action space. Kernels take the state as `uint8[size]` and begin with `s = state.view(State)[0]`.

| kernel | signature | meaning |
|---|---|---|
| setup(state, options) | (u8[], i32[]) | zero every byte, then the start position before any chance event |
| to_play(state) | -> i64 | seat >= 0, CHANCE, TERMINAL |
| legal(state, out) | (u8[], i32[]) -> n | action ids ascending; outcome ids at a chance node; 0 at the end |
| weights(state, out) | (u8[], i64[]) -> stream | positive integers in the order of `legal` (chance nodes only) |
| apply(state, action) | (u8[], i64) | one decision or outcome, in place, deterministic; trusts its caller |
| returns(state, out) | (u8[], f32[P]) | utilities in [-1, 1] summing to 0; before the end by the present standing |
| observe(state, seat, out) | (u8[], i64, i16[D]) | what `seat` sees, as named slices, own seat first then clockwise |
| info_key(state, seat) | -> u64 | key of all that `seat` knows; PUBLIC: of what everybody knows |
| determinize(state, seat, rng) | -> f64 | resample what `seat` cannot know; ln(prior / proposal), 0 if exact |

A tenth kernel is optional: `scripted(state, rng) -> action`, a hand-written policy that looks only at what the mover
knows (a yardstick, and a playout policy).
"""

from __future__ import annotations

import enum
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from engines import kernel
from engines.rng import RNG

if TYPE_CHECKING:
    from engines.state import State

__all__ = [
    "CHANCE",
    "PUBLIC",
    "TERMINAL",
    "Field",
    "Game",
    "Kernels",
    "Kind",
    "Options",
    "Slice",
    "Symmetry",
    "Who",
    "caller",
]

CHANCE = -1
"""`to_play` of a state where something random must happen."""
TERMINAL = -2
"""`to_play` of a finished game."""
PUBLIC = -1
"""As a seat: what everybody knows (spectators, public keys, public worlds)."""

STATE = types.uint8[::1]
SETUP = types.void(STATE, types.int32[::1])
TO_PLAY = types.int64(STATE)
LEGAL = types.int64(STATE, types.int32[::1])
WEIGHTS = types.int64(STATE, types.int64[::1])
APPLY = types.void(STATE, types.int64)
RETURNS = types.void(STATE, types.float32[::1])
OBSERVE = types.void(STATE, types.int64, types.int16[::1])
INFO_KEY = types.uint64(STATE, types.int64)
DETERMINIZE = types.float64(STATE, types.int64, RNG)
SCRIPTED = types.int64(STATE, RNG)

# Places in the table that a game is to the search (`Game.table`): addresses, then sizes.
T_SETUP, T_TO_PLAY, T_LEGAL, T_WEIGHTS, T_APPLY, T_RETURNS, T_OBSERVE, T_INFO_KEY, T_DETERMINIZE, T_SCRIPTED = range(10)
T_PLAYERS, T_MAX_LEGAL, T_MAX_LENGTH = range(10, 13)

Table = Any
"""`int64[13]`, or a tuple of functions and sizes where the JIT is off."""


def caller(signature: Any) -> Any:
    """An intrinsic `call(address, (arguments,))` for kernels of `signature`.

    It uses Numba's own calling convention, so exceptions of the callee propagate and the calling kernel can be cached.
    With the JIT off the address is the Python function itself, and the call a plain one.
    """
    if not kernel.JIT:
        return lambda function, args: function(*args)
    rettype, argtypes = signature.return_type, signature.args

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typingctx: Any, address: Any, args: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, llargs: Any) -> Any:
            addr, packed = llargs
            values = [
                context.cast(builder, builder.extract_value(packed, i), have, want)
                for i, (have, want) in enumerate(zip(sig.args[1].types, argtypes, strict=True))
            ]
            fnty = context.call_conv.get_function_type(rettype, argtypes)
            callee = builder.inttoptr(addr, ir.PointerType(fnty))
            status, result = context.call_conv.call_function(builder, callee, rettype, argtypes, values)
            with builder.if_then(status.is_error, likely=False):
                context.call_conv.return_status_propagate(builder, status)
            return result

        return rettype(types.intp, args), codegen

    return call


call_setup, call_to_play, call_legal = caller(SETUP), caller(TO_PLAY), caller(LEGAL)
call_weights, call_apply, call_returns = caller(WEIGHTS), caller(APPLY), caller(RETURNS)
call_observe, call_info_key, call_determinize = caller(OBSERVE), caller(INFO_KEY), caller(DETERMINIZE)
call_scripted = caller(SCRIPTED)


class Kernels(NamedTuple):
    """A game's compiled functions, in the order of the table."""

    setup: Callable[..., None]
    to_play: Callable[..., int]
    legal: Callable[..., int]
    weights: Callable[..., int]
    apply: Callable[..., None]
    returns: Callable[..., None]
    observe: Callable[..., None]
    info_key: Callable[..., np.uint64]
    determinize: Callable[..., float]
    scripted: Callable[..., int] | None = None


_SIGNATURES = (SETUP, TO_PLAY, LEGAL, WEIGHTS, APPLY, RETURNS, OBSERVE, INFO_KEY, DETERMINIZE, SCRIPTED)


def _address(dispatcher: Any, signature: Any) -> int:
    """Address of the compiled function (Numba's calling convention) of `dispatcher` for `signature`."""
    compiled = dispatcher.get_compile_result(signature)
    return int(compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name))


class Who(enum.Enum):
    """Who knows a field of the record."""

    ALL = "all"
    """Public."""
    SEAT = "seat"
    """The first axis is the seat, and each row is known to its seat only (a hand, a pending choice)."""
    MASK = "mask"
    """Known to the seats whose bit is set in the mask field beside it (same shape; see `Field.mask`)."""
    NOBODY = "nobody"
    """Unknown to all (the contents of a deck), or derived from other fields: never in a view."""


@dataclass(frozen=True)
class Field:
    """Who knows a field, and how it reads: the declarations from which views are made.

    Attributes:
        who: who knows it.
        axes: a name for each axis. `seat` is cut to the seats in play; an axis named in `Game.labels` becomes a JSON
            object keyed by label (zeros left out); `list` becomes a list without its trailing zeros; any other name a
            plain list.
        values: name of the labels that the numbers stand for, if any.
        first: the number of the first label; with 1 a zero stands for nothing (null).
        least, most: the numbers there can be, where no labels bound them (None: whatever the dtype holds).
        mask: for Who.MASK, the field whose bits (1 << seat) say who knows each element.
    """

    who: Who = Who.ALL
    axes: tuple[str, ...] = ()
    values: str | None = None
    first: int = 1
    mask: str | None = None
    least: int | None = None
    most: int | None = None


class Kind(enum.Enum):
    """What the numbers of an observation slice are, so that a network can embed them."""

    SCALAR = "scalar"
    """A quantity; divide by `scale`."""
    ONE_HOT = "one_hot"
    """One of the last axis's places is 1."""
    COUNT = "count"
    """How many of each labelled thing (last axis: the labels); divide by `scale`."""
    CARD = "card"
    """1 + index of a labelled thing, 0 = none."""
    MASK = "mask"
    """Each entry 0 or 1."""


@dataclass(frozen=True)
class Slice:
    """One named part of an observation: `observation[start:start + size].reshape(shape)`."""

    name: str
    kind: Kind
    shape: tuple[int, ...]
    scale: float = 1.0
    labels: str = ""
    """Which of `Game.labels` a COUNT or CARD slice (or a ONE_HOT one) refers to."""
    per_seat: bool = False
    """The first axis is the seat: own first, then clockwise."""
    start: int = 0

    @property
    def size(self) -> int:
        """How many numbers the slice has."""
        return math.prod(self.shape)


class Symmetry(NamedTuple):
    """An image of every game that is the same game to its rules: a board mirrored or turned. Seats stay who they are.

    Attributes:
        places: int64[observation_size], entry i of the image's observation is entry places[i] of the original's.
        actions: int64[num_ids], the same of action and outcome ids; a decision is a decision in the image.
    """

    places: NDArray[np.int64]
    actions: NDArray[np.int64]


@dataclass(frozen=True)
class Options:
    """Options of a game; a game with more of them subclasses this. Every field has a default."""

    FREE: ClassVar[tuple[str, ...]] = ()
    """Options that choose how a game begins or how long it lasts, and that an observation shows: a network plays a game
    whatever they are."""

    players: int = 0
    """Number of seats; 0 = the fewest that the game allows."""

    @classmethod
    def names(cls) -> list[str]:
        """The option names that `engines.load` takes."""
        return [f.name for f in fields(cls)]


@dataclass
class Game(ABC):
    """A game's rules, loaded for a number of players and given options. Make one with `engines.load`."""

    name: ClassVar[str]
    """Stable name: the folder."""
    title: ClassVar[str]
    """The game's full name."""
    version: ClassVar[int]
    """Raised when behaviour, layout, observation or ids change; never for speed or refactoring."""
    min_players: ClassVar[int]
    max_players: ClassVar[int]
    dtype: ClassVar[np.dtype[Any]]
    """The State record."""
    kernels: ClassVar[Kernels]
    fields: ClassVar[Mapping[str, Field]]
    """Who knows each field of the record, every field named."""
    num_actions: ClassVar[int]
    """Decision ids are below this; a policy head has this size."""
    num_ids: ClassVar[int]
    """Decision and outcome ids are below this."""
    max_legal: ClassVar[int]
    """No state has more legal actions or outcomes."""
    max_length: ClassVar[int]
    """No game has more steps (decisions and outcomes)."""
    num_streams: ClassVar[int]
    """Streams of chance are below this."""
    secrets: ClassVar[bool] = True
    """Whether a seat may not know everything (then a seat's value comes from its own observation)."""
    perfect_recall: ClassVar[bool] = False
    """Whether `info_key` covers the whole past of a seat."""
    options_type: ClassVar[type[Options]] = Options

    options: Options
    slices: tuple[Slice, ...] = field(init=False)
    table: Table = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        start, placed = 0, []
        for part in self.observation():
            placed.append(Slice(part.name, part.kind, part.shape, part.scale, part.labels, part.per_seat, start))
            start += part.size
        self.slices = tuple(placed)
        sizes = (self.players, self.max_legal, self.max_length)
        functions: list[Any] = list(self.kernels)
        if kernel.JIT:
            addresses = [0 if f is None else _address(f, s) for f, s in zip(functions, _SIGNATURES, strict=True)]
            self.table = np.array([*addresses, *sizes], np.int64)
        else:
            self.table = (*functions, *sizes)

    @property
    def players(self) -> int:
        """Number of seats of this game."""
        return self.options.players

    @property
    def record_size(self) -> int:
        """Bytes of a state."""
        return self.dtype.itemsize

    @property
    def observation_size(self) -> int:
        """How many int16 numbers an observation has."""
        return self.slices[-1].start + self.slices[-1].size

    @property
    def stakes(self) -> float:
        """What a utility of 1 is worth in the game's own unit (chips, points): `returns` times this are payoffs."""
        return 1.0

    @property
    def labels(self) -> Mapping[str, Sequence[str]]:
        """Vocabularies of stable ids, by name ("design", "race", ...), in the order of their numbers."""
        return {}

    @property
    def content_hash(self) -> str:
        """Twelve hex digits of the content data this game was built from; "" for a game without content."""
        return ""

    @abstractmethod
    def encode_options(self) -> NDArray[np.int32]:
        """What `setup` gets: `int32[...]`, players first."""

    @abstractmethod
    def observation(self) -> list[Slice]:
        """The slices of an observation, in order, without their starts."""

    @abstractmethod
    def action_text(self, action: int) -> str:
        """The one stable text of an action or outcome id, independent of the state: "build frigate 0"."""

    def describe(self, state: State, action: int, seat: int) -> str:
        """What `seat` (or PUBLIC) sees happen when `action` is applied to `state`: a line of the log.

        Must hide what `seat` does not learn (which card another seat drew).
        """
        return f"seat {state.to_play}: {self.action_text(action)}" if state.to_play >= 0 else self.action_text(action)

    @abstractmethod
    def board(self, state: State, seat: int | None = None) -> str:
        """A readable board: all that `seat` knows (PUBLIC: spectators; None: everything)."""

    @abstractmethod
    def scores(self, state: State) -> list[int]:
        """Points of every seat as they stand; public information only."""

    def symmetries(self) -> Sequence[Symmetry]:
        """The game's images, the game as it is left out. A learner takes rows in all of them alike."""
        return ()

    def conserved(self, state: State) -> Mapping[str, int]:
        """Totals that no action may change (cards, cubes, dice), for the conformance suite."""
        return {}

    def check_state(self, state: State) -> None:  # noqa: B027 (a game without such rules has nothing to refuse)
        """Refuse a state, made from a view, that no game could have come to.

        Kernels trust the record: what they take for granted (sums that fit, lists without gaps, who can be asked what)
        must be checked here. What `state.viewer` does not know is zero; the bounds of `fields` have been checked.

        Raises:
            UsageError: names the field and what was expected.
        """

    def start(self, seed: int | None = None) -> State:
        """A new game. With a seed a dealer plays its chance events; without one they are the caller's."""
        from engines.state import State

        return State.start(self, seed)

    def from_view(self, view: Mapping[str, Any]) -> State:
        """A state that knows what `view` knows and nothing else: determinise it to get a world."""
        from engines import views

        return views.from_view(self, view)

    def parse(self, text: str) -> int:
        """The id of an action's text; raises IllegalAction with the nearest text."""
        from engines.errors import IllegalAction, UsageError, choose_from, quoted

        if not isinstance(text, str):
            raise IllegalAction(f"expected an action's text, found {quoted(text)}")
        number = self._ids.get(text.strip())
        if number is not None:
            return number
        try:
            return self._ids[choose_from("action", text.strip(), self._ids)]
        except UsageError as error:
            raise IllegalAction(str(error)) from None

    @property
    def _ids(self) -> Mapping[str, int]:
        if not hasattr(self, "_id_of_text"):
            texts = ((a, self.action_text(a)) for a in range(self.num_ids))
            self._id_of_text = {text: a for a, text in texts if text}
        return self._id_of_text
