"""Ed25519 verification only (RFC 8032, section 5.1.7). Not constant-time, because keys and signatures here are public."""

import functools
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def _add(one, other):
    """The sum of two points in extended coordinates (section 5.1.4)."""
    a = (one[1] - one[0]) * (other[1] - other[0]) % P
    b = (one[1] + one[0]) * (other[1] + other[0]) % P
    c = 2 * one[3] * other[3] * D % P
    d = 2 * one[2] * other[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _times(scalar, point):
    result = (0, 1, 1, 0)
    while scalar > 0:
        if scalar & 1:
            result = _add(result, point)
        point = _add(point, point)
        scalar >>= 1
    return result


def _same(one, other):
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def _decoded(data):
    """The point that 32 bytes encode (section 5.1.3); None if they encode none, or not in the canonical form."""
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    if square == 0:
        return None if sign else (0, y, 1, 0)
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P != 0:
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = _decoded((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
NEUTRAL = (0, 1, 1, 0)


@functools.lru_cache(maxsize=64)  # many proofs are under one checkpoint
def is_signed(key, message, signature):
    """Whether the signature (64 bytes) over the message was made with the key of this public key (32 bytes)."""
    if len(key) != 32 or len(signature) != 64:
        return False
    point, committed = _decoded(key), _decoded(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if point is None or committed is None or scalar >= ORDER or _same(_times(8, point), NEUTRAL):
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left = _times(8 * scalar, BASE)
    right = _times(8, _add(committed, _times(challenge, point)))
    return _same(left, right)
