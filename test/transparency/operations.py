"""The rules for events of an operation, as described in docs/audit.md ("A receipt", 8 to 11)."""

from decimal import Context

from contracts import decimal_of, is_within, is_within_use
from events import same
from log import need

OF_ACTIONS = ("submission.", "action.", "revocation.")
AMOUNTS = ("input", "output", "leastOutput")
# More digits than any sum or product here has, so that none is rounded.
EXACT = Context(prec=5000)
# As many digits as a bound of a contract can have.
USD_DIGITS = 18


def whole(amount):
    """An amount in the smallest unit as a number."""
    number = decimal_of(amount)
    need(number is not None and "." not in amount, "an amount is no whole number")
    return int(number)


def need_amounts(event, *amounts):
    """Raises unless each is None, or a token and a whole number of its smallest units."""
    for amount in amounts:
        is_object = amount is None or (isinstance(amount, dict) and isinstance(amount.get("tokenId"), str))
        need(is_object, "/events/{} has an amount that is none".format(event.at))
        need(amount is None or whole(amount["amountRaw"]) >= 0, "/events/{} has an amount that is none".format(event.at))


def is_covered(token, amount, delivered):
    """Whether at least that amount is delivered."""
    return delivered is not None and delivered["tokenId"] == token and whole(delivered["amountRaw"]) >= whole(amount)


def is_agreed(terms, submission):
    """Whether a submission moves the tokens and exact amounts that the action names."""
    sent, output, quantity = submission["input"], submission["output"], terms["quantity"]
    if "pinned" in terms["input"] and sent["tokenId"] != terms["input"]["pinned"]["tokenId"]:
        return False
    if quantity["kind"] == "exact_input_tokens" and sent["amountRaw"] != quantity["amountRaw"]:
        return False
    if terms["kind"] == "withdraw_to_owner":
        return True
    if output is None or output["tokenId"] == sent["tokenId"]:
        return False
    if "pinned" in terms["output"] and output["tokenId"] != terms["output"]["pinned"]["tokenId"]:
        return False
    least = submission["leastOutput"] or output
    return quantity["kind"] != "exact_output_tokens" or is_covered(output["tokenId"], quantity["amountRaw"], least)


def moved(action):
    """Returns the worth that an action has moved, in US dollars, without what was given back; None if it is unknown."""
    if action.status not in ("settled", "refunded"):
        return decimal_of("0")
    worth, sent, returned = decimal_of(action.worth), action.amounts["input"], action.amounts["returned"]
    if worth is None:
        return None
    if action.status == "refunded" and returned is None and action.amounts["output"] is None:
        return decimal_of("0")
    all_of, back = whole(sent["amountRaw"]), 0
    if returned is not None and returned["tokenId"] == sent["tokenId"]:
        back = whole(returned["amountRaw"])
    return part_of(worth, max(all_of - back, 0), all_of)


def part_of(worth, units, all_of):
    """The worth of so many units of all, rounded up to the digits of a bound."""
    if units == all_of:
        return worth
    digits = max(-worth.as_tuple().exponent, 0)
    dividend = int(EXACT.scaleb(worth, digits)) * units * 10**USD_DIGITS
    divisor = all_of * 10**digits
    return EXACT.scaleb(-(-dividend // divisor), -USD_DIGITS)


def sum_text(worths):
    """The sum of these worths with the fewest digits; None if one is unknown."""
    if None in worths:
        return None
    total = decimal_of("0")
    for worth in worths:
        total = EXACT.add(total, worth)
    text = format(total, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


class Action:
    """An action of the contract, with the last submission that was journaled for it."""

    def __init__(self, index, terms):
        self.terms, self.index, self.status, self.attempts = terms, index, "pending", 0
        self.submission = self.worth = self.reference = self.refusal = self.revocation = None
        pinned, quantity = terms["input"].get("pinned"), terms["quantity"]
        exact = pinned is not None and quantity["kind"] == "exact_input_tokens"
        self.amounts = dict.fromkeys((*AMOUNTS, "returned"))
        if exact:
            self.amounts["input"] = {"tokenId": pinned["tokenId"], "amountRaw": quantity["amountRaw"]}

    def view(self):
        said = {"index": self.index, "kind": self.terms["kind"], "status": self.status, "providerReference": self.reference}
        return {**said, **self.amounts}

    def ended(self, status, event):
        self.status = status
        returned = event["returned"] if event.metadata.get("v", 1) > 1 else None  # version 1 did not record it
        need_amounts(event, event["output"], returned)
        self.amounts |= {"output": event["output"], "returned": returned}


class Operation:
    """An operation as its events have made it so far."""

    def __init__(self, first):
        need("index" not in first.fact, "/events/{} is of an action".format(first.at))
        self.first, self.id = first, first.stream[len("operation-") :]
        self.status = "prepared" if first.type == "operation.prepared" else "submitted"
        self.approval = self.failure = self.settled_at = None
        self.updated_at = first["at"]
        self.actions = [Action(index, terms) for index, terms in enumerate(first["contract"]["actions"])]

    def view(self):
        names = ("kind", "approvalId", "conversationId", "runId", "automationId", "contract")
        said = {"id": self.id, "status": self.status, "failure": self.failure, "settledAt": self.settled_at}
        times = {"createdAt": self.first["at"], "updatedAt": self.updated_at}
        return {**{name: self.first[name] for name in names}, **said, **times, "actions": [one.view() for one in self.actions]}

    def current(self):
        """The action whose turn it is: the first one that has not settled, of an operation that is used and not over."""
        under_way = self.status in ("submitted", "unresolved")
        return next((action for action in self.actions if action.status != "settled"), None) if under_way else None

    def add(self, event, bounds):
        """Raises unless the event can follow those before it."""
        if event.type.startswith(OF_ACTIONS):
            action = self.current()
            open_one = action is not None and action.status not in ("failed", "refunded")
            fits = open_one and same(action.index, event["index"]) and self.add_to(action, event, bounds)
        else:
            need("index" not in event.fact, "/events/{} is of an action".format(event.at))
            fits = self.add_whole(event)
        need(fits, "/events/{} cannot follow what was before it".format(event.at))
        self.updated_at = event["at"]

    def add_whole(self, event):
        before = self.status
        if event.type == "operation.settled":
            self.status, self.settled_at = "settled", event["at"]
            return before in ("submitted", "unresolved") and all(action.status == "settled" for action in self.actions)
        if event.type == "operation.failed":
            self.status, self.failure = "failed", event["failure"]
            lost = any(action.status in ("failed", "refunded") for action in self.actions)
            return before in ("submitted", "unresolved") and lost
        if event.type == "operation.unresolved":
            action, self.status = self.current(), "unresolved"
            return before != "unresolved" and action is not None and action.submission is not None
        return before == "prepared" and self.add_to_approval(event)

    def add_to_approval(self, event):
        """A withdrawal is prepared, opened, decided and confirmed, in this order."""
        before = self.approval
        if event.type == "approval.opened":
            self.approval = "pending"
            return before is None
        if event.type == "operation.confirmed":
            self.status = "submitted"
            return before == "approved"
        need(event.type in ("approval.decided", "approval.expired"), "/events/{} is of no operation".format(event.at))
        self.approval = event["status"] if event.type == "approval.decided" else "expired"
        self.status = self.approval if self.approval in ("denied", "expired") else self.status
        return before == "pending"

    def add_to(self, action, event, bounds):
        unanswered = action.submission is not None and action.reference is None
        if event.type == "submission.journaled":
            free = self.status != "unresolved" and action.reference is None and action.refusal is None
            self.journaled(action, event, bounds)
            return free
        if event.type == "submission.accepted":
            action.status, action.reference = "submitted", event["providerReference"]
            return unanswered
        if event.type == "submission.refused":
            before, action.refusal = action.refusal, event["failure"]
            return unanswered and before is None
        if event.type == "revocation.journaled":
            before, action.revocation = action.revocation, event["revocation"]
            return unanswered and action.refusal is not None and before is None
        if event.type == "action.failed":
            action.status, action.amounts["output"] = "failed", None
            return True
        need(event.type in ("action.settled", "action.refunded"), "/events/{} is of no operation".format(event.at))
        action.ended("settled" if event.type == "action.settled" else "refunded", event)
        # The provider has reported the outcome of what it could not tell before.
        self.status = "submitted" if event.type == "action.settled" else self.status
        return action.reference is not None

    def journaled(self, action, event, bounds):
        """Raises unless the submission is this operation's next one, and does what was approved."""
        submission, version = event["submission"], event.metadata.get("v", 1)
        # Versions 1 and 2 recorded no worth, and version 1 no least output.
        sent = submission if version > 1 else {**submission, "leastOutput": None}
        need_amounts(event, *(sent[name] for name in AMOUNTS))
        action.attempts += 1
        key = "{}/{}/{}".format(self.id, action.index, action.attempts)
        own = sent["key"] == key and same(sent["attempt"], action.attempts)
        need(own, "/events/{} is not of this operation".format(event.at))
        need(is_agreed(action.terms, sent), "/events/{} is not what was approved".format(event.at))
        worth = event["worthUsd"] if version > 2 else None
        if version > 2:
            self.check_worth(action.terms["quantity"], worth, bounds, event)
        action.submission, action.worth, action.status = sent, worth, "submitted"
        action.amounts |= {name: sent[name] for name in AMOUNTS}

    def check_worth(self, quantity, worth, bounds, event):
        """Raises unless that worth keeps to the action, and with what was moved before to one use of the contract."""
        by_worth = quantity["kind"] == "exact_input_value_usd"
        agreed = not by_worth or is_within(worth, quantity["value"])
        need(agreed, "/events/{} is worth more than was approved".format(event.at))
        total = None if bounds is None else sum_text([decimal_of(worth), *map(moved, self.actions)])
        covered = bounds is None or is_within_use(total, bounds)
        need(covered, "/events/{} is beyond the bounds of the contract".format(event.at))


def check_copies(copies, operation, events, opened):
    """Raises unless the conversation repeats nothing but what the operation records."""
    sources, taken = {}, False
    for event in events:
        sources.setdefault(event.id, event)
        taken = taken or (event.type == "submission.accepted" and same(event["index"], 0))
    submitted = False
    for copy in copies:
        where = "/events/{} ".format(copy.at)
        source = sources.get(copy.metadata["$causationId"])
        need(copy.stream == opened.stream and operation is not None, where + "is in another stream")
        need(copy["operationId"] == operation.id, where + "is of another operation")
        need(source is not None and source["at"] <= copy["at"], where + "copies nothing of the operation")
        if copy.type == "operation.submitted":
            submitted = True
            own = all(same(copy[name], opened[name]) for name in ("approvalId", "runId"))
            need(own, where + "is of another approval")
            continue
        view = operation.view()
        need(all(same(copy[name], view[name]) for name in ("status", "actions", "failure")), where + "tells another outcome")
        need(submitted or not taken, where + "tells the outcome of what it did not tell")
