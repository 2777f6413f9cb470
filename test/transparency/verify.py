"""Verifies what Parley proves, with Python's standard library and docs/audit.md alone.

  verify.py receipt <receipt.json> --key <vkey> [--witness <vkey> ... --needed <count>] [--accept-erased]
  verify.py erasure <certificate.json> --key <vkey> [--witness <vkey> ... --needed <count>]
  verify.py export <folder> --key <vkey> [--witness ...] [--known <checkpoint> ...]
  verify.py consistency <old checkpoint> <new checkpoint> <file of hashes, one a line> --key <vkey>
  verify.py fork <evidence of a witness> --key <vkey>
  verify.py table <cases.json>      prints the names of the cases that hold

The first line is the verdict. Exit code 0: it holds; 1: it does not; 2: it could not be verified, or the verdict could not
be written; 141: whoever read the output closed it."""

import argparse
import json
import os
import re
import sys

import erasure
import receipt
from events import check_entry
from log import (
    Checkpoint,
    Key,
    Refused,
    about,
    check_consistency,
    check_inclusion,
    consistency_roots,
    decoded,
    hashes_in,
    leaf_hash,
    need,
    root_of,
)

WIDTH = 256


def text_of(path, most=-1):
    """The text of a file, of at most so many characters."""
    with open(path, encoding="utf-8", newline="") as file:
        return file.read(most)


def bytes_of(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        raise Refused("is missing") from None


class Trust:
    def __init__(self, options):
        self.keys = [Key(text, "log") for text in options.key]
        self.witnesses = [Key(text, "witness") for text in options.witness]
        self.needed = len(self.witnesses) if options.needed is None else options.needed

    def opened(self, note):
        return Checkpoint(note, self.keys, self.witnesses, self.needed)

    def opened_file(self, path):
        with about(path):
            return self.opened(text_of(path))

    def signed_file(self, path):
        """A checkpoint signed by the log, with or without witnesses."""
        return self.signed(text_of(path), path)

    def signed(self, note, subject):
        with about(subject):
            return Checkpoint(note, self.keys)


# An export (C2SP tlog-tiles)


def tile_path(level, index, width):
    parts = ["{:03}".format(index % 1000)]
    while index >= 1000:
        index //= 1000
        parts.insert(0, "x{:03}".format(index % 1000))
    return "tile/{}/{}{}".format(level, "/".join(parts), "" if width == WIDTH else ".p/{}".format(width))


def entries_in(bundle):
    at, entries = 0, []
    while at < len(bundle):
        end = at + 2 + int.from_bytes(bundle[at : at + 2], "big")
        need(at + 2 <= len(bundle) and end <= len(bundle), "is a bundle that is cut")
        entries.append(bundle[at + 2 : end])
        at = end
    return entries


def verify_export(folder, trust, known):
    newest = trust.opened_file(os.path.join(folder, "checkpoint"))
    leaves = []
    for index in range(0, (newest.size + WIDTH - 1) // WIDTH):
        width = min(WIDTH, newest.size - index * WIDTH)
        path = tile_path("entries", index, width)
        with about(path):
            entries = entries_in(bytes_of(os.path.join(folder, path)))
        need(len(entries) == width, "{} has {} entries in place of {}".format(path, len(entries), width))
        for nth, entry in enumerate(entries):
            with about("entry {} of {}".format(nth, path)):
                check_entry(entry)
        leaves += [leaf_hash(entry) for entry in entries]
    need(root_of(leaves) == newest.root, "the entries are not what the checkpoint says")
    check_tiles(folder, leaves)
    for path in known:
        old = trust.signed_file(path)
        ahead = "{} is of {} entries, and the log has {}: the newest were taken away".format(path, old.size, newest.size)
        need(old.size <= newest.size, ahead)
        need(root_of(leaves[: old.size]) == old.root, "the log does not begin with the {} entries of {}".format(old.size, path))
    earlier = "1 earlier checkpoint" if len(known) == 1 else "{} earlier checkpoints".format(len(known))
    return "{} entries of {}, consistent with {}".format(newest.size, newest.origin, earlier)


def check_tiles(folder, hashes):
    """Raises unless every tile matches the entries; a tile above the first level holds the roots of full tiles."""
    level = 0
    while hashes:
        for index in range(0, (len(hashes) + WIDTH - 1) // WIDTH):
            part = hashes[index * WIDTH : (index + 1) * WIDTH]
            path = tile_path(level, index, len(part))
            with about(path):
                need(bytes_of(os.path.join(folder, path)) == b"".join(part), "is altered")
        full = len(hashes) // WIDTH
        hashes = [root_of(hashes[index * WIDTH : (index + 1) * WIDTH]) for index in range(full)]
        level += 1


# Two checkpoints


def verify_consistency(old_file, new_file, path_file, trust):
    old, new = trust.signed_file(old_file), trust.opened_file(new_file)
    with about(path_file):
        check_consistency(old.size, old.root, new.size, new.root, text_of(path_file).split())
    return "{} begins with the {} entries of the old checkpoint, and has {}".format(new.origin, old.size, new.size)


def verify_fork(file, trust):
    parts = re.split("^===== .*\n", text_of(file), flags=re.MULTILINE)[1:]
    need(len(parts) in (2, 3), file + " is no evidence of a witness")
    known, refused = trust.signed(parts[0], "its first checkpoint"), trust.signed(parts[1], "its second checkpoint")
    if known.size == refused.size:
        need(known.root != refused.root, "the two checkpoints are the same")
        return "two trees of {} entries with two roots, both signed by {}".format(known.size, known.origin)
    need(len(parts) == 3 and 0 < known.size < refused.size, "the two checkpoints do not contradict each other")
    with about("its path"):
        begins, leads = consistency_roots(known.size, known.root, refused.size, parts[2].split())
    need(leads == refused.root and begins != known.root, "the path does not show that they contradict each other")
    return "a tree of {} that does not begin with the {} of before, both signed by {}".format(
        refused.size, known.size, known.origin
    )


# The table of the tests


def holds(case):
    try:
        if case["kind"] == "checkpoint":
            trust = [Key(text, "log") for text in case["keys"]], [Key(text, "witness") for text in case["witnesses"]]
            Checkpoint(case["note"], *trust, case["needed"])
        elif case["kind"] == "receipt":
            trust = Trust(argparse.Namespace(key=case["keys"], witness=case["witnesses"], needed=None))
            receipt.verify(case["text"], trust, case.get("acceptErased", False))
        elif case["kind"] == "erasure":
            erasure.verify(case["note"], Trust(argparse.Namespace(key=case["keys"], witness=[], needed=None)))
        elif case["kind"] == "inclusion":
            leaf, root = leaf_hash(decoded(case["entry"])), decoded(case["root"])
            check_inclusion(leaf, case["index"], case["size"], case["path"], root)
        else:
            hashes_in(case["path"])
            roots = decoded(case["oldRoot"]), decoded(case["newRoot"])
            check_consistency(case["oldSize"], roots[0], case["newSize"], roots[1], case["path"])
        return True
    except Refused:
        return False


def options_of(arguments):
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("command", choices=["receipt", "erasure", "export", "consistency", "fork", "table"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--witness", action="append", default=[])
    parser.add_argument("--needed", type=int)
    parser.add_argument("--accept-erased", action="store_true")
    parser.add_argument("--known", action="append", default=[])
    options = parser.parse_args(arguments)
    if len(options.files) != (3 if options.command == "consistency" else 1):
        parser.error("a wrong count of files")
    if options.command != "table" and not options.key:
        parser.error("--key is needed: without it nothing is proven")
    if options.needed is not None and not 0 <= options.needed <= len(options.witness):
        parser.error("--needed is more than there are witnesses")
    return options


def run(options, trust):
    """Returns the lines to print; the first one is the verdict."""
    if options.command == "table":
        return [case["name"] for case in json.loads(text_of(options.files[0])) if holds(case)]
    if options.command == "receipt":
        return receipt.verify(text_of(options.files[0], receipt.TEXT_MAX + 1), trust, options.accept_erased)
    if options.command == "erasure":
        return erasure.verify(text_of(options.files[0], receipt.TEXT_MAX + 1), trust)
    if options.command == "export":
        return ["HOLDS: " + verify_export(options.files[0], trust, options.known)]
    if options.command == "consistency":
        return ["HOLDS: " + verify_consistency(*options.files, trust)]
    return ["FORKED: " + verify_fork(options.files[0], trust)]


def plain(line):
    """The line with characters that a terminal would interpret replaced by their codes."""
    return "".join(one if one.isprintable() else "\\u{{{:x}}}".format(ord(one)) for one in line)


def written(lines, code):
    """Prints the lines. Returns the exit code of the verdict, or another one if the output could not be written."""
    try:
        for line in lines:
            print(plain(line))
        sys.stdout.flush()
        return code
    except OSError as error:
        # At exit the interpreter flushes the remaining output, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            return 141
        print("the output could not be written: {}".format(error), file=sys.stderr)
        return 2


def main():
    options = options_of(sys.argv[1:])
    try:
        trust = Trust(options)
    except Refused as refused:
        print(plain("a key that is given {}".format(refused)), file=sys.stderr)
        return 2
    try:
        return written(run(options, trust), 0)
    except Refused as refused:
        return written(["DOES NOT HOLD: {}".format(refused)], 1)
    except (OSError, UnicodeDecodeError) as error:
        print(plain("it cannot be read: {}".format(error)), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
