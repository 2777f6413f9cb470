"""Sealed members of events, as described in docs/audit.md ("A receipt", 2)."""

import base64
import binascii
import hashlib
import hmac
import re

from log import decoded, need

# The members with a person's words, by the type of the event.
PERSONAL = {"approval.opened": ["input", "summary", "terms"], "approval.decided": ["denialReason"]}
# A nonce and a tag of AES-GCM come before the commitment, and the ciphertext after it.
BEGIN, END = 28, 60


def commitment_in(value, place):
    """The commitment of a value that is sealed for this place: the ids of the key and the event, and the member."""
    need(isinstance(value, dict) and list(value) == ["sealed"] and isinstance(value["sealed"], str), "is not sealed")
    parts = value["sealed"].split(":")
    need(len(parts) == 5 and parts[0] == "1", "is sealed in a form that this verifier does not know")
    need(parts[1:4] == place, "is sealed for another place")
    text = parts[4]
    need(re.fullmatch("[A-Za-z0-9_-]+", text) is not None, "is no base64url")
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        data = b""
    need(base64.urlsafe_b64encode(data).decode().rstrip("=") == text, "is base64url in another spelling")
    need(len(data) > END, "is too short")
    return data[BEGIN:END]


def named_in(metadata, personal):
    """The id of the key and the members that are sealed: exactly the personal ones."""
    sealed = metadata["sealed"]
    need(isinstance(sealed, dict) and sorted(sealed) == ["key", "members"], "has sealed members that are none")
    key, members = sealed["key"], sealed["members"]
    texts = isinstance(key, str) and isinstance(members, list) and all(isinstance(name, str) for name in members)
    need(texts and personal != [] and sorted(members) == sorted(personal), "does not name its personal members as sealed")
    return key, members


def shown_in(item, commitments, read):
    """The name and the value of a member that an item of `revealed` shows."""
    need(isinstance(item, dict) and sorted(item) == ["key", "member", "value"], "is no revealed member")
    name, value, key = item["member"], decoded(item["value"]), decoded(item["key"])
    need(isinstance(name, str) and name in commitments, "is no sealed member of the event")
    proof = hmac.new(key, value, hashlib.sha256).digest() if len(key) == 32 else b""
    need(hmac.compare_digest(proof, commitments[name]), "is not what was sealed")
    return name, read(value)


def open_members(event, payload, metadata, revealed, read):
    """
    Puts the revealed values in the place of what is sealed, and `{"erased": true}` in that of the others. Returns the
    names of the others. @param read parses the bytes of a value
    """
    if "sealed" not in metadata:
        need(revealed is None, "reveals members, and none is sealed")
        return []
    need(isinstance(revealed, list), "has no list of revealed members")
    private = metadata.get("private", {})
    personal = [name for name in PERSONAL.get(event.type, []) if name in payload or name in private]
    key, members = named_in(metadata, personal)
    parts = {name: payload if name in payload else private for name in members}
    commitments = {name: commitment_in(part[name], [key, event.id, name]) for name, part in parts.items()}
    shown = [shown_in(item, commitments, read) for item in revealed]
    values = dict(shown)
    need(len(values) == len(shown), "reveals a member twice")
    for name, part in parts.items():
        part[name] = values.get(name, {"erased": True})
    return [name for name in members if name not in values]
