"""Receipts, as described in docs/audit.md ("Write your own verifier")."""

from uuid import UUID, uuid5

from contracts import canonical, check_contract, check_use
from events import Event, hexed, read_json, same
from log import Refused, about, check_inclusion, decoded, leaf_hash, need
from operations import Operation, check_copies

# More than any receipt has: characters of its text, and its events.
TEXT_MAX, EVENTS_MAX = 64 * 1024 * 1024, 10_000
# Copies of an operation's events in the conversation.
COPIES = ("operation.submitted", "settlement.updated")


def verify(text, trust, accept_erased=False):
    """Returns the lines to print. @throws Refused if anything does not hold, is not proven, or has another type than it must"""
    try:
        return verified(text, trust, accept_erased)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise Refused("the file is not built like a receipt") from None


def verified(text, trust, accept_erased):
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
    for event in events:
        erased = "/events/{}/revealed lacks the words of {}: they were erased, or are withheld"
        need(accept_erased or event.closed == [], erased.format(event.at, ", ".join(event.closed)))
    checkpoint = check_proof(document.get("proof"), events, trust)
    check_orders(events)
    opened = subject_of(events)
    check_strangers(events, opened)
    check_review(document, opened)
    approval = document.get("approval")
    need(isinstance(approval, dict), "/approval is missing")
    check_member("/decision", document.get("decision"), decision_of(decided_of(events, opened)))
    check_approval(approval, events, opened)
    operation = check_operation(document, events, opened)
    of_operation = [event for event in events if event.stream.startswith("operation-")]
    check_copies([event for event in events if event.type in COPIES], operation, of_operation, opened)
    check_authority(document, events, opened)
    lines = report(approval, events, checkpoint) + unproven_uses(events, opened) + unproven_worths(events, opened)
    return lines + unproven_words(events)


def unproven_words(events):
    """Claims that words would prove which the receipt does not reveal."""
    erased = "  not proven  the words of event {} of {} ({}): they were erased, or are withheld"
    lines = [erased.format(one.revision, one.stream, ", ".join(one.closed)) for one in events if one.closed]
    covers = "  not proven  that the fingerprint of approval {} is that of what was reviewed, its contract with it"
    openings = [event for event in events if event.type == "approval.opened" and is_closed(event)]
    return lines + [covers.format(event["approvalId"]) for event in openings]


def unproven_uses(events, opened):
    """Claims about a call that a contract covered, which only events of other receipts could prove."""
    if any(event.type == "contract.used" for event in events):
        return ["  not proven  that earlier uses left room for this one, and that the contract was in force: other events show it"]
    closed = decided_of(events, opened)
    by_contract = closed is not None and closed.type == "approval.decided" and closed["decidedBy"] != "user"
    return ["  not proven  that a contract covered the call: the receipt does not hold its approval"] if by_contract else []


def unproven_worths(events, opened):
    """Claims that submissions of versions 1 and 2 leave unproven, because they record no worth."""
    old = [event for event in events if event.type == "submission.journaled" and event.metadata.get("v", 1) < 3]
    covered = any(event.type == "contract.used" for event in events)
    actions = [opened["contract"]["actions"][event["index"]] for event in old]
    by_worth = any(action["quantity"]["kind"] == "exact_input_value_usd" for action in actions)
    none = ": an event of an earlier version records no worth"
    return [
        *(["  not proven  that what was sent was worth no more than one use allows" + none] if old and covered else []),
        *(["  not proven  that what was sent was worth no more than was approved" + none] if by_worth else []),
    ]


def report(approval, events, checkpoint):
    erased = any(event.type == "approval.opened" and is_closed(event) for event in events)
    apart = " APART FROM ERASED WORDS" if any(event.closed for event in events) else ""
    follows = "decision, use and operation" if erased else "fingerprint, decision, use and operation"
    seen = ", ".join("{} at {}".format(*one) for one in checkpoint.seen.values())
    lines = [
        "HOLDS{}: approval {} is {}, by {} events, all of them in the log.".format(apart, approval["id"], approval["status"], len(events)),
        "  proven      the log {} signed its checkpoint of {} events".format(checkpoint.origin, checkpoint.size),
        "  proven      {} are what these events say".format(follows),
    ]
    lines += ["  proven      seen by " + seen] if seen else ["  not checked that witnesses signed the checkpoint"]
    return lines


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
    own = [event.index for event in events if event.type not in COPIES]
    need(all(one < other for one, other in zip(own, own[1:])), "the log has the events in another order")
    last = {}
    for event in events:
        before = last.get(event.stream)
        ordered = before is None or (before.revision < event.revision and before.index < event.index)
        need(ordered, "/events/{} is out of order".format(event.at))
        last[event.stream] = event


def is_of_authority(event, opened):
    return event.stream.startswith("automation-") and event.stream != opened.stream


def check_strangers(events, opened):
    """Raises unless each event is of the approval, its operation, its copies in the conversation, or its authority."""
    ends = ("approval.decided", "approval.expired")
    for event in events:
        if event.stream.startswith("operation-") or event is opened or is_of_authority(event, opened):
            continue
        own = event.type in ends and event["approvalId"] == opened["approvalId"]
        need(own or event.type in COPIES, "/events/{} does not belong here".format(event.at))


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
    return {"v": int(version), **{name: opened[name] for name in names}}


def is_closed(opened):
    """Whether words that the fingerprint covers are not revealed."""
    return any(name in opened.closed for name in reviewed(opened))


def check_words(opened):
    """Raises unless the words of an opening are of the types that they must have."""
    need("summary" in opened.closed or isinstance(opened["summary"], str), "the summary is no text")
    terms = [] if "terms" in opened.closed else opened.fact.get("terms", [])
    need(isinstance(terms, list), "the terms are no list")


def check_review(document, opened):
    review = document.get("review")
    need(isinstance(review, dict) and sorted(review) == ["canonical", "fingerprint"], "/review is missing")
    need(review["fingerprint"] == opened["fingerprint"], "/review/fingerprint is not that of the event")
    check_words(opened)
    if is_closed(opened):
        return need(same(review["canonical"], {"erased": True}), "/review/canonical is there, without the words in it")
    with about("/review/canonical"):
        data = decoded(review["canonical"])
    need("sha256:" + hexed(data) == review["fingerprint"], "/review/canonical does not hash to the fingerprint")
    with about("/review/canonical"):
        need(data == canonical(reviewed(opened)).encode(), "is not what the event says")


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
    check_reason(closed)
    actor = closed.metadata.get("actor")
    by_user = closed.type == "approval.decided" and closed["decidedBy"] == "user"
    own_user = isinstance(actor, dict) and actor.get("kind") == "user" and actor.get("id") == opened["userId"]
    need(not by_user or own_user, "the decision is by another user")
    return closed


def check_reason(closed):
    """Raises unless the reason of a decision is of the type that it must have."""
    open_reason = closed.type == "approval.decided" and "denialReason" not in closed.closed
    reason = closed["denialReason"] if open_reason else None
    need(reason is None or isinstance(reason, str), "the reason of the denial is no text")


def decision_of(closed):
    """The `decision` of an approval that this event ended; None while it is pending, and if it expired."""
    if closed is None or closed.type == "approval.expired":
        return None
    said = {name: closed[name] for name in ("status", "decidedBy", "at")}
    return said | {"stream": closed.stream, "revision": closed.revision, "actor": closed.metadata.get("actor")}


def check_member(path, given, expected):
    """Raises unless the values are equal; names the first member of an object that is not."""
    if not isinstance(expected, dict) or not isinstance(given, dict):
        return need(same(given, expected), path + " is not what the events say")
    for name in sorted(expected.keys() | given.keys()):
        need(name in expected and name in given, "{}/{} is missing, or does not belong here".format(path, name))
        check_member("{}/{}".format(path, name), given[name], expected[name])


def id_in(kind, stream):
    return stream[len(kind) + 1 :] if stream.startswith(kind + "-") else None


def approval_of(events, opened):
    """The `approval` that the events which opened, ended and used it result in."""
    closed = decided_of(events, opened)
    decided = closed if closed is not None and closed.type == "approval.decided" else None
    named = [event for event in events if event.fact.get("approvalId") == opened["approvalId"]]
    used = next((event for event in named if event.type == "operation.used"), None)
    superseded = any(event.type == "contract.superseded" for event in named)
    members = {name: opened[name] for name in ("kind", "tool", "fingerprint", "input", "contract", "summary", "expiresAt")}
    members |= {name: opened.fact.get(name) for name in ("runId", "toolCallId", "automationId")}
    return members | {
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


def check_approval(approval, events, opened):
    expected = approval_of(events, opened)
    if expected["terms"] == [] and "terms" not in approval:  # as in receipts of before there were terms
        del expected["terms"]
    check_member("/approval", approval, expected)


def check_operation(document, events, opened):
    """Raises unless the operation has this approval, user, wallet and contract, was used after the approval, and did no more."""
    asked = [event for event in events if is_of_authority(event, opened) and event.type == "approval.opened"]
    bounds = asked[0]["contract"].get("bounds") if asked else None
    operation = [event for event in events if event.stream.startswith("operation-")]
    if operation == []:
        need(document.get("operation") is None, "/operation is of no event")
        return None
    need(len({event.stream for event in operation}) == 1, "/events are of two operations")
    need([event.revision for event in operation] == list(range(len(operation))), "/events are not a whole operation")
    first, *others = operation
    begins = ("operation.prepared", "operation.used")
    need(first.type in begins, "/events begin no operation")
    need(all(event.type not in begins for event in others), "/events begin the operation twice")
    for name in ("approvalId", "userId", "walletId", "contract"):
        need(same(first[name], opened[name]), "the operation has another {}".format(name))
    of_call = "operation-{}".format(uuid5(UUID(opened["approvalId"]), "agent_transfer"))
    own = opened.stream if first.type == "operation.prepared" else of_call
    need(first.stream == own, "the operation is not this approval's")
    used = next((event for event in operation if event.type in ("operation.used", "operation.confirmed")), None)
    closed = decided_of(events, opened)
    approved = closed is not None and closed.type == "approval.decided" and closed["status"] == "approved"
    need(used is None or (approved and closed.index < used.index), "the operation was never approved")
    done = Operation(first)
    for event in others:
        done.add(event, bounds)
    check_member("/operation", document.get("operation"), done.view())
    return done


def check_authority(document, events, opened):
    """Raises unless a contract that covered the call was itself approved before its use, and `authority` says what it was."""
    closing = decided_of(events, opened)
    by_contract = closing is not None and closing.type == "approval.decided" and closing["decidedBy"] != "user"
    need(not by_contract or opened.fact.get("automationId") is not None, "no automation was there to decide it")
    others = [event for event in events if is_of_authority(event, opened)]
    if others == []:
        need(document.get("authority") is None, "/authority is of no event")
        return
    need(closing is None or by_contract, "the call was decided by no contract")
    asked = [event for event in others if event.type == "approval.opened"]
    uses = [event for event in others if event.type == "contract.used"]
    need(len(asked) == 1 and len(uses) == 1 and len(others) == 3, "/events hold not one contract, its decision and one use")
    asked, use = asked[0], uses[0]
    closed = decided_of(others, asked)
    approved = closed is not None and closed.type == "approval.decided" and closed["status"] == "approved"
    in_order = approved and use.stream == asked.stream and closed.revision < use.revision
    need(in_order and closed["decidedBy"] == "user", "the contract was not approved before")
    check_words(asked)
    check_contract(opened, asked, None if is_closed(asked) else reviewed(asked))
    check_use(opened, asked, use)
    used = {"stream": use.stream, "revision": use.revision, "at": use["at"], "usd": use["usd"]}
    expected = {"approval": approval_of(others, asked), "decision": decision_of(closed), "use": used}
    check_member("/authority", document.get("authority"), expected)
