/**
 * The few protobuf primitives that the hot answers need. The generated stubs encode about ten times slower, which limits the appends and
 * deliveries per second. https://protobuf.dev/programming-guides/encoding/
 */
import { TOMBSTONE_REVISION, TOMBSTONE_REVISION_EXACT } from '../event';

const TOMBSTONE_VARINT_BYTES = 9;

/** Number of bytes of an unsigned varint. `value` is a safe integer or `TOMBSTONE_REVISION`. */
export function varintSize(value: number): number {
  if (value === TOMBSTONE_REVISION) return TOMBSTONE_VARINT_BYTES;
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
  return size;
}

/** Writes an unsigned varint at `at` and returns the offset after it. */
function writeVarint(target: Buffer, at: number, value: number): number {
  if (value === TOMBSTONE_REVISION) return writeBigVarint(target, at, TOMBSTONE_REVISION_EXACT);
  let rest = value;
  let offset = at;
  // Bit operations work on 32 bits only: divide while the number is wider.
  while (rest > 0x7fff_ffff) {
    target[offset++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  while (rest >= 0x80) {
    target[offset++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[offset++] = rest;
  return offset;
}

export function writeBigVarint(target: Buffer, at: number, value: bigint): number {
  let rest = BigInt.asUintN(64, value);
  let offset = at;
  while (rest >= 0x80n) {
    target[offset++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
  }
  target[offset++] = Number(rest);
  return offset;
}

/** Field numbers below 16 only: the tag is one byte. */
const varintTag = (field: number): number => field << 3;
const bytesTag = (field: number): number => (field << 3) | 2;

export function writeVarintField(target: Buffer, at: number, field: number, value: number): number {
  target[at] = varintTag(field);
  return writeVarint(target, at + 1, value);
}

/** Writes tag and length of a nested message or byte string; its content follows. */
export function writeLength(target: Buffer, at: number, field: number, length: number): number {
  target[at] = bytesTag(field);
  return writeVarint(target, at + 1, length);
}

/** Number of bytes of a length-delimited field with `length` bytes of content. */
export function fieldSize(length: number): number {
  return 1 + varintSize(length) + length;
}

export function writeText(target: Buffer, at: number, field: number, text: string, byteLength: number): number {
  const start = writeLength(target, at, field, byteLength);
  return start + target.write(text, start, byteLength, 'utf8');
}

export function writeBytes(target: Buffer, at: number, field: number, bytes: Uint8Array): number {
  const start = writeLength(target, at, field, bytes.length);
  target.set(bytes, start);
  return start + bytes.length;
}
