"""JSON, entries of the log and the events of receipts, as described in docs/audit.md ("Write your own verifier")."""

import hashlib
import json
import re

from log import Refused, decoded, is_count, need
from sealed import open_members

ENTRY = ["dataSha256", "id", "metadataSha256", "revision", "stream", "type"]
# More than any receipt has: the actions of a contract, and the levels of lists and objects in JSON.
ACTIONS_MAX, DEPTH_MAX = 16, 128
SURROGATE = re.compile("[\ud800-\udfff]")
DEEP = "is nested over {} levels".format(DEPTH_MAX)
HOLDERS = ("conversation-", "operation-", "automation-")


def hexed(data):
    return hashlib.sha256(data).hexdigest()


def read_json(text):
    """Parses JSON as in RFC 8259: refuses NaN, duplicate members, halves of surrogate pairs, and great depth."""

    def members(pairs):
        need(len({name for name, _ in pairs}) == len(pairs), "has a member twice")
        return dict(pairs)

    def no_number(name):
        raise Refused(name + " is no JSON")

    def number(digits):  # a double, as JavaScript reads it: 1.0 is 1
        value = float(digits)
        return int(value) if value.is_integer() and abs(value) < 2**53 else value

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_constant=no_number, parse_int=number, parse_float=number
        )
    except ValueError:
        raise Refused("is no JSON") from None
    except RecursionError:
        raise Refused(DEEP) from None
    check_depth(value)
    if SURROGATE.search(text) or re.search(r"\\u[dD][89a-fA-F]", text):
        check_surrogates(value)
    return value


def parts_of(value):
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def check_depth(value):
    level = [value]
    for _ in range(DEPTH_MAX):
        level = [part for whole in level for part in parts_of(whole) if isinstance(part, (dict, list))]
    need(level == [], DEEP)


def check_surrogates(value):
    rest = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, str):
            need(SURROGATE.search(part) is None, "has half of a surrogate pair")
        elif isinstance(part, dict):
            rest += [*part.keys(), *part.values()]
        elif isinstance(part, list):
            rest += part


def same(one, other):
    """Whether two JSON values are equal: true is not 1; 1 and 1.0 are the same number."""
    if isinstance(one, bool) or isinstance(other, bool) or type(one) is not type(other):
        numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
        return one == other if numbers else one is other
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def entry_bytes(event):
    """The entry in the canonical form of RFC 8785, for texts and whole numbers."""
    named = {name: event[name] for name in ENTRY}
    return json.dumps(named, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def check_entry(entry):
    """Raises unless the bytes are a leaf's entry in its canonical form."""
    try:
        value = read_json(entry.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused("is no UTF-8") from None
    need(isinstance(value, dict) and sorted(value) == ENTRY, "has other members")
    need(is_count(value["revision"]), "has no revision")
    need(all(isinstance(value[name], str) for name in ENTRY if name != "revision"), "has no texts")
    need(all(re.fullmatch("[0-9a-f]{64}", value[name]) for name in ENTRY if "Sha256" in name), "has no hashes")
    need(entry_bytes(value) == entry, "is written in another form")


def read_value(data):
    """Parses bytes as JSON."""
    try:
        return read_json(data.decode("utf-8"))
    except UnicodeDecodeError:
        raise Refused("has bytes that are no UTF-8") from None


class Event:
    """An event of a receipt, whose bytes match its hashes."""

    def __init__(self, item, at):
        need(isinstance(item, dict), "is no event")
        texts = ["stream", "id", "type", "data", "metadata", "dataSha256", "metadataSha256", "leafSha256"]
        need(all(isinstance(item.get(name), str) for name in texts), "is no event")
        others = item.keys() - {"revealed"}
        need(sorted(others) == sorted(texts + ["revision"]) and is_count(item["revision"]), "is no event")
        need(item.get("revealed", []) is not None, "has no list of revealed members")
        data, metadata = decoded(item["data"]), decoded(item["metadata"])
        need(hexed(data) == item["dataSha256"], "has other data than its hash says")
        need(hexed(metadata) == item["metadataSha256"], "has other metadata than its hash says")
        self.entry = entry_bytes(item)
        need(hexed(self.entry) == item["leafSha256"], "has another entry than its hash says")
        self.stream, self.revision, self.type, self.at = item["stream"], item["revision"], item["type"], at
        self.id = item["id"]
        need(self.stream.startswith(HOLDERS), "is of a stream that holds no approval")
        payload, self.metadata = (self.parsed(one) for one in (data, metadata))
        need(payload.get("type") == self.type, "has another type than its data")
        need(isinstance(payload.get("at"), str), "has no time")
        version = self.metadata.get("v", 1)
        need(is_count(version) and version >= 1, "has a version that is no whole number from 1")
        private = self.metadata.get("private", {})
        need(isinstance(private, dict) and not payload.keys() & private.keys(), "has private members that are none")
        self.closed = open_members(self, payload, self.metadata, item.get("revealed"), read_value)
        self.fact = {**payload, **private}
        of_action = self.type.startswith(("submission.", "action."))
        need(not of_action or is_count(self.fact.get("index")), "has an index that is no whole number")
        contract = self.fact.get("contract")
        actions = contract.get("actions") if isinstance(contract, dict) else None
        few = contract is None or (isinstance(actions, list) and len(actions) <= ACTIONS_MAX)
        need(few, "has a contract without a list of at most {} actions".format(ACTIONS_MAX))

    @staticmethod
    def parsed(data):
        value = read_value(data)
        need(isinstance(value, dict), "has bytes that are no JSON object")
        return value

    def __getitem__(self, name):
        need(name in self.fact, "/events/{} has no {}".format(self.at, name))
        return self.fact[name]
