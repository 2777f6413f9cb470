"""The contract of an automation that covered a call, as described in docs/audit.md ("A receipt", 6)."""

import json
import re
from decimal import Decimal

from events import hexed, same
from log import need


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


def decimal_of(text):
    """The number of a text of digits; None for one that is no decimal."""
    is_decimal = isinstance(text, str) and len(text) <= 500 and re.fullmatch(r"(0|[1-9][0-9]*)(\.[0-9]+)?", text)
    return Decimal(text) if is_decimal else None


def is_within(usd, *most):
    """Whether a worth is at most each of these; False for a text that is no decimal."""
    worth, bounds = decimal_of(usd), [decimal_of(text) for text in most]
    return worth is not None and all(bound is not None and worth <= bound for bound in bounds)


def is_within_use(usd, bounds):
    """Whether one use of that worth is within the bounds of a contract."""
    return is_within(usd, bounds["perUseUsd"], bounds["totalUsd"])


def check_contract(opened, asked, reviewed):
    """
    Raises unless the contract that was asked for is of this call's automation, user, wallet and actions.
    @param reviewed what its fingerprint covers; None if words of it are not revealed
    """
    fingerprint = reviewed and "sha256:" + hexed(canonical(reviewed).encode())
    need(reviewed is None or fingerprint == asked["fingerprint"], "the contract has another fingerprint")
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
    need(bounds["maxUses"] > 0 and is_within_use(use["usd"], bounds), "the use is beyond the bounds of the contract")
