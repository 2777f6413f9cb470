const VARINT_BYTES_MAX = 10;
/** Seven bytes of a varint are always exact as a JavaScript number, eight may not be. */
const EXACT_BYTES = 7;

/** The wire types in the requests, stored in the last three bits of a tag. https://protobuf.dev/programming-guides/encoding/ */
const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The tag of a field that is a number. */
export const varintOf = (field: number): number => (field << 3) | VARINT;
/** The tag of a field that is a nested message, a text or bytes. */
export const bytesOf = (field: number): number => (field << 3) | BYTES;

/**
 * Reads a message field by field: call `tag`, then the method for its content, or `skip`. Throws for bytes that are not a message, wherever
 * they were truncated.
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
    let value = 0;
    let scale = 1;
    for (let index = 0; index < EXACT_BYTES; index++) {
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
    return BigInt.asIntN(64, this.wideVarint(0n, 0));
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

  /** Reads a nested message with the function, from its first tag to its end. */
  message<Message>(read: (reader: ProtobufReader) => Message): Message {
    const outerEnd = this.end;
    const start = this.takeLength();
    [this.end, this.at] = [this.at, start];
    const message = read(this);
    this.end = outerEnd;
    return message;
  }

  /** Skips a field that the reader does not know. */
  skip(tag: number): void {
    const wireType = tag % 8;
    if (wireType === VARINT) this.varint();
    else if (wireType === BYTES) this.takeLength();
    else if (wireType === FIXED64) this.take(8);
    else if (wireType === FIXED32) this.take(4);
    else throw malformed();
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

function malformed(): Error {
  return new Error('not a message of the protocol');
}
