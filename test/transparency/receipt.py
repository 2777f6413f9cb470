"""Receipts, as described in docs/audit.md ("Write your own verifier")."""

import hashlib
import json
import re

from log import Refused, about, check_inclusion, decoded, is_count, leaf_hash, need

ENTRY = ["dataSha256", "id", "metadataSha256", "revision", "stream", "type"]
# More than any receipt has: characters of its text, its events, and the actions of a contract.
TEXT_MAX, EVENTS_MAX, ACTIONS_MAX = 64 * 1024 * 1024, 10_000, 16
SURROGATE = re.compile("[\ud800-\udfff]")
HOLDERS = ("conversation-", "operation-", "automation-")


def hexed(data):
    return hashlib.sha256(data).hexdigest()


def read_json(text):
    """Parses JSON as in RFC 8259: refuses NaN, duplicate members and halves of surrogate pairs."""

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
    except (ValueError, RecursionError):
        raise Refused("is no JSON") from None
    if SURROGATE.search(text) or re.search(r"\\u[dD][89a-fA-F]", text):
        check_surrogates(value)
    return value


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


class Event:
    """An event of a receipt, whose bytes match its hashes."""

    def __init__(self, item, at):
        need(isinstance(item, dict), "is no event")
        texts = ["stream", "id", "type", "data", "metadata", "dataSha256", "metadataSha256", "leafSha256"]
        need(all(isinstance(item.get(name), str) for name in texts), "is no event")
        need(sorted(item) == sorted(texts + ["revision"]) and is_count(item["revision"]), "is no event")
        data, metadata = decoded(item["data"]), decoded(item["metadata"])
        need(hexed(data) == item["dataSha256"], "has other data than its hash says")
        need(hexed(metadata) == item["metadataSha256"], "has other metadata than its hash says")
        self.entry = entry_bytes(item)
        need(hexed(self.entry) == item["leafSha256"], "has another entry than its hash says")
        self.stream, self.revision, self.type, self.at = item["stream"], item["revision"], item["type"], at
        need(self.stream.startswith(HOLDERS), "is of a stream that holds no approval")
        payload, self.metadata = (self.parsed(one) for one in (data, metadata))
        need(payload.get("type") == self.type, "has another type than its data")
        private = self.metadata.get("private", {})
        need(isinstance(private, dict) and not payload.keys() & private.keys(), "has private members that are none")
        self.fact = {**payload, **private}
        contract = self.fact.get("contract")
        actions = contract.get("actions") if isinstance(contract, dict) else None
        need(not isinstance(actions, list) or len(actions) <= ACTIONS_MAX, "has a contract of too many actions")

    @staticmethod
    def parsed(data):
        try:
            value = read_json(data.decode("utf-8"))
        except UnicodeDecodeError:
            raise Refused("has bytes that are no UTF-8") from None
        need(isinstance(value, dict), "has bytes that are no JSON object")
        return value

    def __getitem__(self, name):
        need(name in self.fact, "/events/{} has no {}".format(self.at, name))
        return self.fact[name]


def verify(text, trust):
    """Returns the lines to print. @throws Refused if anything does not hold, is not proven, or has another type than it must"""
    try:
        return verified(text, trust)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise Refused("the file is not built like a receipt") from None


def verified(text, trust):
    with about("the file"):
        need(len(text) <= TEXT_MAX, "is larger than any receipt")
        document = read_json(text)
        need(isinstance(document, dict) and same(document.get("v"), 1), "is no receipt")
    members = {"v", "approval", "review", "decision", "authority", "events", "operation", "proof"}
    need(document.keys() - {"authority"} == members - {"authority"}, "the receipt has other members than it should")
    items = document.get("events")
    need(isinstance(items, list) and items != [], "/events is no list of events")
    need(len(items) <= EVENTS_MAX, "/events are more than {}".format(EVENTS_MAX))
    events = []
    for at, item in enumerate(items):
        with about("/events/{}".format(at)):
            events.append(Event(item, at))
    checkpoint = check_proof(document.get("proof"), events, trust)
    check_orders(events)
    opened = subject_of(events)
    check_review(document, opened)
    approval = document.get("approval")
    need(isinstance(approval, dict), "/approval is missing")
    check_decision(document.get("decision"), events, opened)
    check_approval(approval, events, opened)
    check_operation(document, events, opened)
    check_authority(document, events, opened)
    return report(approval, events, checkpoint) + unproven_worths(events, opened)


def unproven_worths(events, opened):
    """What submissions of versions 1 and 2, which record no worth, leave unproven."""
    old = [event for event in events if event.type == "submission.journaled" and is_old(event.metadata.get("v", 1))]
    covered = any(event.type == "contract.used" for event in events)
    try:
        actions = [opened["contract"]["actions"][event["index"]] for event in old]
        by_worth = any(action["quantity"]["kind"] == "exact_input_value_usd" for action in actions)
    except (TypeError, LookupError):
        raise Refused("/events hold a submission of no action") from None
    none = ": an event of an earlier version records no worth"
    return [
        *(["  not proven  that what was sent was worth no more than one use allows" + none] if old and covered else []),
        *(["  not proven  that what was sent was worth no more than was approved" + none] if by_worth else []),
    ]


def is_old(version):
    return isinstance(version, (int, float)) and version < 3


def report(approval, events, checkpoint):
    seen = ", ".join("{} at {}".format(*one) for one in checkpoint.seen.values())
    lines = [
        "HOLDS: approval {} is {}, by {} events, all of them in the log.".format(approval["id"], approval["status"], len(events)),
        "  proven      the log {} signed its checkpoint of {} events".format(checkpoint.origin, checkpoint.size),
        "  proven      fingerprint, decision and use are what these events say",
    ]
    lines += ["  proven      seen by " + seen] if seen else ["  not checked that witnesses signed the checkpoint"]
    return lines + ["  not checked the words of `operation`: read them in its events"]


def check_proof(proof, events, trust):
    """Raises unless each event is in the log, under trusted keys; a missing proof is an error."""
    need(isinstance(proof, dict), "/proof is missing")
    need(sorted(proof) == ["checkpoint", "complete", "inclusions"], "/proof has other members")
    again = ": the log does not cover each event yet; get the receipt again"
    need(isinstance(proof["checkpoint"], str), "/proof/checkpoint is missing" + again)
    with about("/proof/checkpoint"):
        checkpoint = trust.opened(proof["checkpoint"])
    inclusions = proof["inclusions"]
    need(isinstance(inclusions, list) and len(inclusions) == len(events), "/proof/inclusions is not one for each event")
    need(proof["complete"] is True, "/proof/complete is not true" + again)
    for event, inclusion in zip(events, inclusions):
        with about("/proof/inclusions/{}".format(event.at)):
            need(isinstance(inclusion, dict), "is missing")
            need(sorted(inclusion) == ["index", "path"], "has other members")
            check_inclusion(leaf_hash(event.entry), inclusion["index"], checkpoint.size, inclusion["path"], checkpoint.root)
        event.index = inclusion["index"]
    return checkpoint


def check_orders(events):
    """Raises unless the log has the events in the receipt's order, and each stream's own as well."""
    own = [event.index for event in events if event.type not in ("operation.submitted", "settlement.updated")]
    need(all(one < other for one, other in zip(own, own[1:])), "the log has the events in another order")
    last = {}
    for event in events:
        before = last.get(event.stream)
        ordered = before is None or (before.revision < event.revision and before.index < event.index)
        need(ordered, "/events/{} is out of order".format(event.at))
        last[event.stream] = event


def subject_of(events):
    """The event that opened the approval; one in an automation's stream belongs to the contract if there is another."""
    openings = [event for event in events if event.type == "approval.opened"]
    own = [event for event in openings if not event.stream.startswith("automation-")] or openings
    need(len(own) == 1, "/events open not exactly one approval")
    return own[0]


def reviewed(opened):
    """The document from which the fingerprint is computed, by its version."""
    version = opened.fact.get("fingerprintVersion", 1)
    need(same(version, 1) or same(version, 2), "the fingerprint is of version {}, which this verifier does not know".format(version))
    names = ["approvalId", "kind", "userId", "walletId", "tool", "input", "contract", "expiresAt"]
    names += ["summary", "terms"] if version == 2 else []
    return {"v": version, **{name: opened[name] for name in names}}


def check_review(document, opened):
    review = document.get("review")
    need(isinstance(review, dict) and sorted(review) == ["canonical", "fingerprint"], "/review is missing")
    with about("/review/canonical"):
        data = decoded(review["canonical"])
    need(review["fingerprint"] == opened["fingerprint"], "/review/fingerprint is not that of the event")
    need("sha256:" + hexed(data) == review["fingerprint"], "/review/canonical does not hash to the fingerprint")
    with about("/review/canonical"):
        need(same(Event.parsed(data), reviewed(opened)), "is not what the event says")


def decided_of(events, opened):
    ends = [event for event in events if event.type in ("approval.decided", "approval.expired")]
    own = [event for event in ends if event["approvalId"] == opened["approvalId"]]
    need(len(own) <= 1, "/events end the approval twice")
    if not own:
        return None
    closed = own[0]
    need(closed.stream == opened.stream and closed.revision > opened.revision, "/events end another approval")
    need(all(isinstance(at, str) for at in (closed["at"], opened["expiresAt"])), "the decision has no time")
    need(closed.type == "approval.expired" or closed["at"] < opened["expiresAt"], "the decision came too late")
    actor = closed.metadata.get("actor")
    by_user = closed.type == "approval.decided" and closed["decidedBy"] == "user"
    own_user = isinstance(actor, dict) and actor.get("kind") == "user" and actor.get("id") == opened["userId"]
    need(not by_user or own_user, "the decision is by another user")
    return closed


def check_decision(decision, events, opened):
    closed = decided_of(events, opened)
    if closed is None or closed.type == "approval.expired":
        need(decision is None, "/decision is of no event")
        return
    said = {name: closed[name] for name in ("status", "decidedBy", "at")}
    said |= {"stream": closed.stream, "revision": closed.revision, "actor": closed.metadata.get("actor")}
    need(same(decision, said), "/decision is not what the event says")


def id_in(kind, stream):
    return stream[len(kind) + 1 :] if stream.startswith(kind + "-") else None


def check_approval(approval, events, opened):
    """Raises unless every member follows from the events that opened, ended and used the approval."""
    closed = decided_of(events, opened)
    decided = closed if closed is not None and closed.type == "approval.decided" else None
    used = next((event for event in events if event.type == "operation.used"), None)
    superseded = any(event.type == "contract.superseded" for event in events)
    expected = {name: opened[name] for name in ("kind", "tool", "fingerprint", "input", "contract", "summary", "expiresAt")}
    expected |= {name: opened.fact.get(name) for name in ("runId", "toolCallId", "automationId")}
    expected |= {
        "id": opened["approvalId"],
        "openedAt": opened["at"],
        "terms": opened.fact.get("terms", []),
        "conversationId": id_in("conversation", opened.stream),
        "operationId": id_in("operation", opened.stream if used is None else used.stream),
        "status": "pending" if closed is None else decided["status"] if decided else "expired",
        "decidedAt": decided["at"] if decided else None,
        "decidedBy": decided["decidedBy"] if decided else None,
        "denialReason": decided.fact.get("denialReason") if decided else None,
        "endedReason": "superseded" if superseded else closed["endedReason"] if closed and not decided else None,
    }
    if expected["terms"] == [] and "terms" not in approval:
        del expected["terms"]
    for name in sorted(expected.keys() | approval.keys()):
        need(name in expected and name in approval, "/approval/{} is missing, or does not belong here".format(name))
        need(same(approval[name], expected[name]), "/approval/{} is not what the events say".format(name))


def check_operation(document, events, opened):
    """Raises unless the operation has this approval, user, wallet and contract, and was used after the approval."""
    operation = [event for event in events if event.stream.startswith("operation-")]
    if operation == []:
        need(document.get("operation") is None, "/operation is of no event")
        return
    need(len({event.stream for event in operation}) == 1, "/events are of two operations")
    need([event.revision for event in operation] == list(range(len(operation))), "/events are not a whole operation")
    first, *others = operation
    begins = ("operation.prepared", "operation.used")
    need(first.type in begins, "/events begin no operation")
    need(all(event.type not in begins for event in others), "/events begin the operation twice")
    for name in ("approvalId", "userId", "walletId", "contract"):
        need(same(first[name], opened[name]), "the operation has another {}".format(name))
    used = next((event for event in operation if event.type in ("operation.used", "operation.confirmed")), None)
    closed = decided_of(events, opened)
    approved = closed is not None and closed.type == "approval.decided" and closed["status"] == "approved"
    need(used is None or (approved and closed.index < used.index), "the operation was never approved")
    sent = [event for event in operation if event.type.startswith(("submission.", "action."))]
    need(all(used is not None and used.index < event.index for event in sent), "something was sent before it was approved")


def check_authority(document, events, opened):
    """Raises unless a contract that covered the call was itself approved before its use."""
    others = [event for event in events if event.stream.startswith("automation-") and event.stream != opened.stream]
    if others == []:
        need(document.get("authority") is None, "/authority is of no event")
        return
    asked = [event for event in others if event.type == "approval.opened"]
    uses = [event for event in others if event.type == "contract.used"]
    need(len(asked) == 1 and len(uses) == 1 and len({event.stream for event in others}) == 1, "/events hold not one contract")
    closed, use = decided_of(others, asked[0]), uses[0]
    approved = closed is not None and closed.type == "approval.decided" and closed["status"] == "approved"
    need(approved and closed["decidedBy"] == "user" and closed.revision < use.revision, "the contract was not approved before")
    need(use["approvalId"] == opened["approvalId"], "the use is of another call")
    document_of = reviewed(asked[0])
    need(asked[0]["kind"] == "automation_contract" and document_of["userId"] == opened["userId"], "the contract is of another user")
    need(same(asked[0]["contract"]["actions"], opened["contract"]["actions"]), "the contract allows other actions")
