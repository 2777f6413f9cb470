"""Certificates of erasure, as described in docs/audit.md ("A certificate of erasure")."""

import json
import re

from events import ENTRY, entry_bytes, read_json
from log import Refused, about, check_consistency, check_inclusion, is_count, leaf_hash, need, opened_note, signed_by
from ed25519 import is_signed

TEXTS = ("log", "userId", "requestedAt", "keysDestroyedAt", "purgedAt", "certifiedAt", "keyTable", "after")
COUNTS = ("operationsInFlight", "closedEvents")
STEPS = ("erasure.requested", "erasure.keys_destroyed", "erasure.purged")


def verify(text, trust):
    """Returns the lines to print. @throws Refused if anything does not hold, or is not built like a certificate"""
    note, beside = text, None
    if text.startswith("{"):
        with about("the file"):
            document = read_json(text)
            note, beside = document.get("note"), document.get("statement")
    try:
        lines = verified(note, trust)
        if beside is not None:
            with about("the file"):
                need(same(beside, read_json(note.split("\n")[1])), "has a statement that is not the one in its note")
        return lines
    except (AttributeError, KeyError, TypeError, ValueError):
        raise Refused("the file is not built like a certificate of erasure") from None


def verified(note, trust):
    with about("the certificate"):
        text, signatures = opened_note(note)
        lines = text.split("\n")
        need(len(lines) == 3 and lines[0] == "parley-erasure/1" and lines[2] == "", "is no certificate of erasure")
        said = read_json(lines[1])
        check_form(said)
        keys = [key for key in trust.keys if key.name == said["log"]]
        good = [key for key in keys if is_signed_by(signatures, key, text)]
        need(good != [], "was not signed by the log")
    with about("its checkpoint from after"):
        after = trust.opened(said["after"])
        need(after.origin == said["log"], "is of another log")
    if said["before"] is not None:
        before = trust.signed(said["before"], "its checkpoint from before")
        need(before.origin == said["log"], "its checkpoint from before is of another log")
        with about("its proof of consistency"):
            check_consistency(before.size, before.root, after.size, after.root, said["consistency"])
        destroyed = [one["index"] for one in said["events"] if one["entry"]["type"] == STEPS[1]]
        is_before = all(index >= before.size for index in destroyed)
        need(is_before, "its checkpoint from before is from after the keys were destroyed")
    need(said["keys"]["user"] >= 1, "it names no key of the user that was destroyed")
    check_events(said, after)
    return [
        "HOLDS: {} erased {} on {}".format(said["log"], said["userId"], said["keysDestroyedAt"]),
        "  stated      {} events are closed".format(said["closedEvents"]),
        "  not proven  that no copy of a key is left, which nothing can prove",
    ]


def same(one, other):
    """Returns whether two values are the same JSON; in Python 1 equals True."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def is_signed_by(signatures, key, text):
    made = signed_by(signatures, key)
    return made != [] and all(is_signed(key.public, text.encode(), one) for one in made)


def check_form(said):
    need(isinstance(said, dict), "is no object")
    need(all(isinstance(said.get(name), str) for name in TEXTS), "has a text that is none")
    need(all(is_count(said.get(name)) for name in COUNTS), "has a count that is none")
    for name, needed in (("keys", ("user", "conversations", "identities")), ("purged", ())):
        counts = said.get(name)
        need(isinstance(counts, dict) and all(one in counts for one in needed), "has no " + name)
        need(all(is_count(count) for count in counts.values()), "has a count that is none")
    need("before" in said and (said["before"] is None or isinstance(said["before"], str)), "has no before")
    need(isinstance(said.get("consistency"), list), "has no consistency")
    need(isinstance(said.get("events"), list) and all(isinstance(one, dict) for one in said["events"]), "has no events")


def check_events(said, after):
    """Each step must be in the log, in this order."""
    last = -1
    for step in STEPS:
        event = next((one for one in said["events"] if one["entry"]["type"] == step), None)
        need(event is not None, "it has no " + step)
        entry = {name: event["entry"][name] for name in ENTRY}
        with about("its " + step):
            need(is_count(entry["revision"]) and entry["revision"] > last, "is not in its place")
            need(entry["stream"] == "erasure-" + said["userId"], "is that of another erasure")
            need(all(re.fullmatch("[0-9a-f]{64}", entry[name]) for name in ENTRY if "Sha256" in name), "has no hashes")
            check_inclusion(leaf_hash(entry_bytes(entry)), event["index"], after.size, event["path"], after.root)
        last = entry["revision"]
