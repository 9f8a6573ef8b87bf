"""Settings of files from before a setting existed: what they lack counts as its default; what is gone differs."""

from orion_ai.settings import differences, filled, without_defaults

DEFAULTS = {"seed": 0, "net": {"width": 64, "score": True}, "agents": [{"search": {"c": 1.0}}, {}]}


def test_what_is_lacking_is_taken_from_the_defaults() -> None:
    given = {"net": {"width": 32}, "agents": [{"search": {}}, {"name": "b"}]}
    assert filled(given, DEFAULTS) == {
        "seed": 0,
        "net": {"width": 32, "score": True},
        "agents": [{"search": {"c": 1.0}}, {"name": "b"}],
    }
    assert filled({"agents": []}, DEFAULTS)["agents"] == []
    assert filled({"net": 3}, DEFAULTS)["net"] == 3


def test_differences_are_named_with_both_values() -> None:
    there = {"net": {"width": 32, "depth": 2}, "agents": [{"name": "a"}], "races": ["x", "y"], "empty": {}}
    here = {"seed": 1, "net": {"width": 64}, "agents": [{"name": "b"}], "races": ["x", "z"], "empty": {}}
    assert differences(there, here) == {
        "seed": "is missing there, 1 here",
        "net.width": "is 32 there, 64 here",
        "agents.0.name": "is 'a' there, 'b' here",
        "races": "is ['x', 'y'] there, ['x', 'z'] here",
        "net.depth": "is 2 there, and is no setting here",
    }
    assert differences(here, here) == {}


def test_a_new_setting_left_alone_changes_no_name() -> None:
    before = {"seed": 3, "net": {"width": 32}, "agents": [{"search": {}}, {"name": "b"}]}
    now = {"seed": 3, "net": {"width": 32, "score": True}, "agents": [{"search": {"c": 1.0}}, {"name": "b"}]}
    assert without_defaults(before, DEFAULTS) == without_defaults(now, DEFAULTS)
    assert without_defaults({**now, "net": {"width": 32, "score": False}}, DEFAULTS) != without_defaults(now, DEFAULTS)
