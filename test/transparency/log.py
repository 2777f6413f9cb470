"""Checkpoints, cosignatures and proofs of the log, as described in docs/audit.md ("Write your own verifier")."""

import base64
import binascii
import contextlib
import hashlib
import re

from ed25519 import is_signed


class Refused(Exception):
    """The reason why something proves nothing."""


def need(holds, why):
    if not holds:
        raise Refused(why)


@contextlib.contextmanager
def about(subject):
    """Puts the subject before the reason of a refusal in the block."""
    try:
        yield
    except Refused as refused:
        raise Refused("{} {}".format(subject, refused)) from None


def sha256(data):
    return hashlib.sha256(data).digest()


def decoded(text):
    """Decodes standard base64 with padding, in its canonical form."""
    need(isinstance(text, str), "is no base64")
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Refused("is no base64") from None
    need(base64.b64encode(data).decode() == text, "is base64 in another spelling")
    return data


def is_count(value):
    """Whether the value is a whole number from 0 to 2^53 - 1; excludes booleans, which are numbers in Python."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53


def counted(text):
    need(re.fullmatch(r"0|[1-9][0-9]{0,15}", text) is not None and is_count(int(text)), "is no count: " + repr(text))
    return int(text)


# Keys and notes


class Key:
    """A key `<name>+<id>+<base64 of a type byte and 32 bytes>`: type 1 signs for a log, type 4 for a witness."""

    def __init__(self, text, kind):
        parts = text.split("+", 2)
        need(len(parts) == 3 and parts[0] != "" and re.search(r"\s", parts[0]) is None, "is no key: " + text)
        typed = decoded(parts[2])
        need(len(typed) == 33 and typed[0] == {"log": 1, "witness": 4}[kind], "is no key of a " + kind + ": " + text)
        self.name, self.public = parts[0], typed[1:]
        self.id = sha256(self.name.encode() + b"\n" + typed)[:4]
        need(parts[1] == self.id.hex(), "has an id that is not that of the key: " + text)


def opened_note(note):
    """The text including its last newline, and the signatures as (name, id, bytes)."""
    need(isinstance(note, str) and len(note) <= 100_000, "is no signed note")
    need(re.search("[\x00-\x09\x0b-\x1f\ud800-\udfff]", note) is None, "has control characters")
    text, found, lines = note.rpartition("\n\n")
    need(found != "" and lines.endswith("\n"), "is no signed note")
    signatures = []
    for line in lines[:-1].split("\n"):
        match = re.fullmatch("\u2014 ([^\\s+]+) ([A-Za-z0-9+/]+={0,2})", line)
        need(match is not None and len(signatures) < 100, "has a signature line that is none")
        data = decoded(match[2])
        need(len(data) > 4, "has a signature line that is none")
        signatures.append((match[1], data[:4], data[4:]))
    return text + "\n", signatures


def signed_by(signatures, key):
    return [data for name, key_id, data in signatures if name == key.name and key_id == key.id]


class Checkpoint:
    """A checkpoint that the log signed, with the witnesses that cosigned it."""

    def __init__(self, note, keys, witnesses=(), needed=None):
        text, signatures = opened_note(note)
        lines = text.split("\n")
        need(len(lines) == 4 and lines[0] != "" and lines[3] == "", "is no checkpoint: three lines, and nothing more")
        self.origin, self.size, self.root = lines[0], counted(lines[1]), decoded(lines[2])
        need(len(self.root) == 32, "has no root of 32 bytes")
        need(self.size > 0 or self.root == sha256(b""), "has a root of no leaves that is another one")
        own = [key for key in keys if key.name == self.origin]
        need(own != [], "is of another log than the given key")
        made = [(key, signed_by(signatures, key)) for key in own]
        good = [key for key, all_of in made if all_of and all(is_signed(key.public, text.encode(), one) for one in all_of)]
        need(good != [], "was not signed by the log")
        self.seen = {}
        for key in witnesses:
            for data in signed_by(signatures, key):
                need(len(data) == 72, "has a cosignature of " + key.name + " that is none")
                seconds = int.from_bytes(data[:8], "big")
                message = "cosignature/v1\ntime {}\n{}".format(seconds, text).encode()
                holds = 0 < seconds < 2**53 and is_signed(key.public, message, data[8:])
                need(holds, "was not signed by " + key.name + ", as it says")
                self.seen[key.public] = (key.name, seconds)
        wanted = len(witnesses) if needed is None else needed
        need(len(self.seen) >= wanted, "was signed by {} of {} witnesses".format(len(self.seen), wanted))


# Trees (RFC 6962, section 2.1)


def leaf_hash(entry):
    return sha256(b"\x00" + entry)


def node_hash(left, right):
    return sha256(b"\x01" + left + right)


def left_of(count):
    """The largest power of two below the count, which must be at least 2."""
    return 1 << (count - 1).bit_length() - 1


def root_of(leaves):
    """The root of these leaf hashes, computed level by level; an odd last hash moves up unchanged."""
    if not leaves:
        return sha256(b"")
    while len(leaves) > 1:
        pairs = [node_hash(leaves[at], leaves[at + 1]) for at in range(0, len(leaves) - 1, 2)]
        leaves = pairs + leaves[len(leaves) - len(leaves) % 2 :]
    return leaves[0]


def hashes_in(path):
    need(isinstance(path, list) and len(path) <= 63, "is no path")
    hashes = [decoded(text) for text in path]
    need(all(len(one) == 32 for one in hashes), "has a node that is not of 32 bytes")
    return hashes


def check_inclusion(leaf, index, size, path, root):
    """Raises unless the leaf is at this index (from 0) of the tree of this size; the path starts at the leaf's sibling."""
    need(is_count(index) and is_count(size) and index < size, "has an index that is not in the tree")
    hashes = hashes_in(path)

    def up(at, count, depth):
        if count == 1:
            need(depth == 0, "has surplus nodes")
            return leaf
        need(depth > 0, "has too few nodes")
        left, sibling = left_of(count), hashes[depth - 1]
        if at < left:
            return node_hash(up(at, left, depth - 1), sibling)
        return node_hash(sibling, up(at - left, count - left, depth - 1))

    need(up(index, size, len(hashes)) == root, "does not lead to the root of the checkpoint")


def consistency_roots(old_size, old_root, new_size, path):
    """The roots of both trees according to the path; requires 0 < old_size < new_size."""
    hashes = hashes_in(path)

    def up(old, count, depth, is_whole):
        if old == count:
            need(depth == (0 if is_whole else 1), "has a wrong count of nodes")
            return (old_root, old_root) if is_whole else (hashes[0], hashes[0])
        need(depth > 0, "has too few nodes")
        left, sibling = left_of(count), hashes[depth - 1]
        if old <= left:
            first, second = up(old, left, depth - 1, is_whole)
            return first, node_hash(second, sibling)
        first, second = up(old - left, count - left, depth - 1, False)
        return node_hash(sibling, first), node_hash(sibling, second)

    return up(old_size, new_size, len(hashes), True)


def check_consistency(old_size, old_root, new_size, new_root, path):
    """Raises unless the new tree begins with all leaves of the old one (RFC 6962, section 2.1.2)."""
    need(is_count(old_size) and is_count(new_size) and old_size <= new_size, "has sizes that are none")
    if old_size == new_size or old_size == 0:
        need(hashes_in(path) == [], "has surplus nodes")
        need(old_root == (new_root if old_size == new_size else sha256(b"")), "has two roots for one size")
        return
    roots = consistency_roots(old_size, old_root, new_size, path)
    need(roots == (old_root, new_root), "does not lead from the one root to the other")
