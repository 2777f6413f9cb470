/**
 * The few protobuf primitives that hot messages need. The generated stubs encode about ten times slower, which limits the appends and
 * deliveries per second. A tag is one byte, one of `fields.ts`. https://protobuf.dev/programming-guides/encoding/
 */

/** A tombstone's revision is 2^63 - 1 in the database and on the wire; in between, the nearest double represents it. */
export const TOMBSTONE_REVISION = 2 ** 63;
export const TOMBSTONE_REVISION_EXACT = (1n << 63n) - 1n;

const TOMBSTONE_VARINT_BYTES = 9;
/** The double that is nearest to the largest unsigned number of 64 bits. */
const UNSIGNED_END = 2 ** 64;

/**
 * Number of bytes of an unsigned varint. Above the safe integers, `value` is the nearest double.
 * @throws RangeError for a number that 64 bits cannot hold: bytes of it would be malformed, or mean another number
 */
function varintSize(value: number): number {
  if (value === TOMBSTONE_REVISION) return TOMBSTONE_VARINT_BYTES;
  if (!Number.isInteger(value) || value < 0 || value > UNSIGNED_END) throw new RangeError(`${value} is not unsigned`);
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

export function writeVarintField(target: Buffer, at: number, tag: number, value: number): number {
  target[at] = tag;
  return writeVarint(target, at + 1, value);
}

/** Writes tag and length of a nested message or byte string; its content follows. */
export function writeLength(target: Buffer, at: number, tag: number, length: number): number {
  target[at] = tag;
  return writeVarint(target, at + 1, length);
}

/** Number of bytes of a field that is a number. */
export function varintFieldSize(value: number): number {
  return 1 + varintSize(value);
}

/** Number of bytes of a length-delimited field with `length` bytes of content. */
export function fieldSize(length: number): number {
  return 1 + varintSize(length) + length;
}

export function writeText(target: Buffer, at: number, tag: number, text: string, byteLength: number): number {
  const start = writeLength(target, at, tag, byteLength);
  return start + target.write(text, start, byteLength, 'utf8');
}

export function writeBytes(target: Buffer, at: number, tag: number, bytes: Uint8Array): number {
  const start = writeLength(target, at, tag, bytes.length);
  target.set(bytes, start);
  return start + bytes.length;
}

/** A field on its own that is a byte string, a text or a nested message. */
export function bytesField(tag: number, content: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(fieldSize(content.length));
  writeBytes(bytes, 0, tag, content);
  return bytes;
}

/** A field on its own that is a nested message of these fields. */
export function message(tag: number, fields: readonly Buffer[]): Buffer {
  return bytesField(tag, Buffer.concat(fields));
}

/** A field on its own whose presence alone carries meaning. */
export function presence(tag: number): Buffer {
  return Buffer.of(tag, 0);
}

/** A field on its own that is a number. */
export function varintField(tag: number, value: number): Buffer {
  const bytes = Buffer.allocUnsafe(varintFieldSize(value));
  writeVarintField(bytes, 0, tag, value);
  return bytes;
}
