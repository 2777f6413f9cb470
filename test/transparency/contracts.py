"""The contract of an automation that covered a call, as described in docs/audit.md ("A receipt", 6)."""

import json
import re
from decimal import Context, Decimal

from events import hexed, same
from log import need

# No amount has more digits, so that no comparison rounds.
DECIMALS = Context(prec=1000)


def canonical(value):
    """The form of RFC 8785 of a JSON value."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(canonical(name) + ":" + canonical(value[name]) for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    return number_text(value) if isinstance(value, float) else json.dumps(value, ensure_ascii=False)


def number_text(value):
    """The shortest digits that read as this double, as ECMAScript writes them."""
    sign, numbers, exponent = Decimal(repr(value)).normalize().as_tuple()
    digits = "".join(map(str, numbers))
    point = len(digits) + exponent
    if 0 < point <= 21:
        whole = digits[:point].ljust(point, "0")
        text = whole + ("." + digits[point:] if digits[point:] else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        fraction = "." + digits[1:] if digits[1:] else ""
        text = "{}{}e{:+d}".format(digits[0], fraction, point - 1)
    return "-" + text if sign else text


def within(usd, bounds):
    """Whether one use of that worth is within the bounds; False for a text that is no decimal."""
    texts = [usd, bounds.get("perUseUsd"), bounds.get("totalUsd")]
    if not all(isinstance(text, str) and len(text) <= 500 for text in texts):
        return False
    if not all(re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", text) for text in texts):
        return False
    moved, per_use, total = (Decimal(text, DECIMALS) for text in texts)
    return moved <= per_use and moved <= total


def check_contract(opened, asked, reviewed):
    """Raises unless the contract that was asked for is of this call's automation, user, wallet and actions."""
    need("sha256:" + hexed(canonical(reviewed).encode()) == asked["fingerprint"], "the contract has another fingerprint")
    of_automation = asked["kind"] == "automation_contract" and asked.stream == "automation-{}".format(asked["automationId"])
    need(of_automation, "the contract is no automation's")
    for name in ("automationId", "userId", "walletId"):
        need(same(asked[name], opened[name]), "the contract has another {}".format(name))
    need(same(asked["contract"]["actions"], opened["contract"]["actions"]), "the contract allows other actions")


def check_use(opened, asked, use):
    """Raises unless the use is of this call, in time, and within what one use may move."""
    for name in ("approvalId", "toolCallId"):
        need(same(use[name], opened[name]), "the use is of another call")
    bounds = asked["contract"].get("bounds")
    need(isinstance(bounds, dict), "the contract has no bounds")
    need(use["at"] < bounds["notAfter"], "the use came after the end of the contract")
    need(bounds["maxUses"] > 0 and within(use["usd"], bounds), "the use is beyond the bounds of the contract")
