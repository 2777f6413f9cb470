/** Wire type of a field, in the last three bits of its tag (https://protobuf.dev/programming-guides/encoding/). */
const wires = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/**
 * Reads a protobuf message field by field, for frequent answers: the client's generated stubs take four times as long, and `protobufjs`
 * twice. Whatever is not read is skipped, including unknown fields. Every method throws RangeError for bytes that are not a message, or not
 * of the requested type.
 */
export class ProtobufReader {
  /** Wire type of the field that is not read yet; null when there is none. */
  private wire: number | null = null;

  constructor(
    private readonly bytes: Buffer,
    private at = 0,
    private readonly end = bytes.length,
  ) {}

  /** Moves to the next field and returns its number; 0 when there is none. */
  next(): number {
    if (this.wire !== null) this.passOver(this.wire);
    if (this.at >= this.end) return 0;
    const tag = this.varint();
    this.wire = tag & 7;
    return tag >>> 3;
  }

  /** Moves to the next field with this number, and returns whether there is one. */
  seek(number: number): boolean {
    for (;;) {
      const field = this.next();
      if (field === number) return true;
      if (field === 0) return false;
    }
  }

  /** Reads a non-negative integer; an unsafe one is rounded. */
  number(): number {
    this.take(wires.varint);
    return this.varint();
  }

  /** Reads a signed integer of 64 bits. */
  int64(): bigint {
    this.take(wires.varint);
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asIntN(64, value);
    }
  }

  text(): string {
    const from = this.enter();
    return this.bytes.toString('utf8', from, this.at);
  }

  /** Returns the bytes as a view of the message, not a copy. */
  content(): Buffer {
    const from = this.enter();
    return this.bytes.subarray(from, this.at);
  }

  message(): ProtobufReader {
    const from = this.enter();
    return new ProtobufReader(this.bytes, from, this.at);
  }

  /** Returns where the content of the field begins; it ends at `at`. */
  private enter(): number {
    this.take(wires.bytes);
    return this.advance(this.varint());
  }

  private take(wire: number): void {
    if (this.wire !== wire) throw new RangeError(`a protobuf field of kind ${this.wire} is read as ${wire}`);
    this.wire = null;
  }

  private advance(length: number): number {
    const from = this.at;
    if (length > this.end - from) throw new RangeError('a protobuf message ends too early');
    this.at = from + length;
    return from;
  }

  private varint(): number {
    const first = this.byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    // Not by shifting, which works on 32 bits only.
    for (let factor = 0x80; ; factor *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  private byte(): number {
    const byte = this.at < this.end ? this.bytes[this.at] : undefined;
    if (byte === undefined) throw new RangeError('a protobuf message ends too early');
    this.at += 1;
    return byte;
  }

  private passOver(wire: number): void {
    if (wire === wires.varint) this.varint();
    else if (wire === wires.bytes) this.advance(this.varint());
    else if (wire === wires.fixed64) this.advance(8);
    else if (wire === wires.fixed32) this.advance(4);
    else throw new RangeError(`a protobuf field of kind ${wire}, which proto3 has not`);
    this.wire = null;
  }
}
