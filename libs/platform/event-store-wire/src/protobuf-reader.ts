const VARINT_BYTES_MAX = 10;
/** Seven bytes of a varint are always exact as a JavaScript number, eight may not be. */
const EXACT_BYTES = 7;

/** Wire type of a field, in the last three bits of its tag (https://protobuf.dev/programming-guides/encoding/). */
export const wireTypes = { varint: 0, fixed64: 1, bytes: 2, groupStart: 3, fixed32: 5 } as const;

/** How deeply groups may be nested, as in Google's own readers. */
const GROUP_DEPTH_MAX = 100;

/**
 * Reads a message field by field: call `tag`, then the method for its content, or `skip`. Throws a RangeError for bytes that are not a
 * message, wherever they were truncated.
 */
export class ProtobufReader {
  private at = 0;
  private end: number;

  constructor(private readonly bytes: Buffer) {
    this.end = bytes.length;
  }

  /** The tag of the next field; 0 at the end of the message. */
  tag(): number {
    if (this.at === this.end) return 0;
    const tag = this.varint();
    if (tag < 8) throw malformed();
    return tag;
  }

  /** Reads an unsigned number; above the safe integers, the nearest one. */
  varint(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    // Not by shifting, which works on 32 bits only.
    let scale = 0x80;
    for (let index = 1; index < EXACT_BYTES; index++) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    return Number(this.wideVarint(BigInt(value)));
  }

  /** Reads a signed number; beyond the safe integers, the nearest one. */
  signed(): number {
    const start = this.at;
    const value = this.varint();
    if (value <= Number.MAX_SAFE_INTEGER) return value;
    this.at = start;
    return Number(this.signedExactly());
  }

  signedExactly(): bigint {
    return BigInt.asIntN(64, this.unsignedExactly());
  }

  unsignedExactly(): bigint {
    return this.wideVarint(0n, 0);
  }

  bool(): boolean {
    return this.varint() !== 0;
  }

  /** Skips a message whose presence alone carries meaning; returns true. */
  presence(): true {
    this.takeLength();
    return true;
  }

  /** Returns the bytes as a view. */
  content(): Buffer {
    const start = this.takeLength();
    return this.bytes.subarray(start, this.at);
  }

  text(): string {
    const start = this.takeLength();
    return this.bytes.toString('utf8', start, this.at);
  }

  /** Reads a nested message with the function, which begins at its first tag and may leave a remainder unread. */
  message<Message>(read: (reader: ProtobufReader) => Message): Message {
    const outerEnd = this.end;
    const start = this.takeLength();
    const end = this.at;
    this.end = end;
    this.at = start;
    const message = read(this);
    this.end = outerEnd;
    this.at = end;
    return message;
  }

  /** Skips a field that the reader does not know. A group holds fields up to the tag that ends it, which follows the tag that began it. */
  skip(tag: number, depth = 0): void {
    const wireType = tag % 8;
    if (wireType === wireTypes.varint) this.varint();
    else if (wireType === wireTypes.bytes) this.takeLength();
    else if (wireType === wireTypes.fixed64) this.take(8);
    else if (wireType === wireTypes.fixed32) this.take(4);
    else if (wireType === wireTypes.groupStart && depth < GROUP_DEPTH_MAX) {
      for (let inner = this.tag(); inner !== tag + 1; inner = this.tag()) this.skip(inner, depth + 1);
    } else throw malformed();
  }

  private byte(): number {
    const byte = this.at < this.end ? this.bytes[this.at++] : undefined;
    if (byte === undefined) throw malformed();
    return byte;
  }

  /** Reads the remainder of a varint, of which so many bytes have been read. */
  private wideVarint(value: bigint, bytesRead = EXACT_BYTES): bigint {
    let whole = value;
    for (let index = bytesRead; index < VARINT_BYTES_MAX; index++) {
      const byte = this.byte();
      whole |= BigInt(byte & 0x7f) << BigInt(7 * index);
      if (byte < 0x80) return BigInt.asUintN(64, whole);
    }
    throw malformed();
  }

  /** Moves past content that is preceded by its length, and returns where it starts. */
  private takeLength(): number {
    const length = this.varint();
    this.take(length);
    return this.at - length;
  }

  private take(length: number): void {
    if (length > this.end - this.at) throw malformed();
    this.at += length;
  }
}

function malformed(): RangeError {
  return new RangeError('not a message of the protocol');
}
