/**
 * Generators of message parts for properties of decoders, and the properties of any handwritten decoder that has a
 * generated counterpart.
 */
import { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import fc from 'fast-check';

export const texts = fc.string({ unit: 'grapheme', maxLength: 20 });
export const contents = fc.uint8Array({ maxLength: 200 });
export const integers = fc.oneof(
  fc.nat(200),
  fc.maxSafeNat(),
  fc.constantFrom(127, 128, 2 ** 31, 2 ** 32, 2 ** 49 - 1, 2 ** 49, 2 ** 53 - 1),
);
/** Fields with a tag that no request has, of each wire type. */
const unknownFields = fc
  .array(
    fc.constantFrom(
      [0xf8, 0x07, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
      [0xf9, 0x07, 1, 2, 3, 4, 5, 6, 7, 8],
      [0xfa, 0x07, 3, 1, 2, 3],
      [0xfd, 0x07, 1, 2, 3, 4],
    ),
    { maxLength: 3 },
  )
  .map((fields) => Buffer.from(fields.flat()));

export const uuids = fc
  .record({ text: fc.uuid(), form: fc.constantFrom('string', 'structured', 'neither') })
  .map(({ text, form }) => {
    const uuid = new UUID();
    const bits = BigInt(`0x${text.replaceAll('-', '')}`);
    const structured = new UUID.Structured();
    structured.setMostSignificantBits(BigInt.asIntN(64, bits >> 64n).toString());
    structured.setLeastSignificantBits(BigInt.asIntN(64, bits).toString());
    if (form === 'structured') uuid.setStructured(structured);
    if (form === 'string') uuid.setString(text);
    return uuid;
  });
export const identifiers = texts.map((name) => {
  const identifier = new StreamIdentifier();
  identifier.setStreamName(Buffer.from(name));
  return identifier;
});
export const optional = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.option(values, { nil: undefined });

/** A handwritten decoder, and the generated one that it is compared with. */
interface Decoders<Decoded> {
  readonly byHand: (bytes: Buffer) => Decoded;
  readonly generated: (bytes: Buffer) => Decoded;
}

/** Both decode a message equally, also between fields that neither knows. */
export function expectSameMeaning<Decoded>(
  messages: fc.Arbitrary<Uint8Array>,
  { byHand, generated }: Decoders<Decoded>,
): void {
  fc.assert(
    fc.property(messages, unknownFields, (message, unknown) => {
      const bytes = Buffer.concat([unknown, message, unknown]);
      expect(byHand(bytes)).toEqual(generated(bytes));
    }),
  );
}

/**
 * The handwritten decoder refuses bytes that are cut off or wrong, or decodes them like the generated one: it never
 * does anything but return or throw.
 */
export function expectRefusalOfWrongBytes<Decoded>(
  messages: fc.Arbitrary<Uint8Array>,
  { byHand, generated }: Decoders<Decoded>,
): void {
  fc.assert(
    fc.property(messages, fc.nat(), (message, cut) => {
      const bytes = cutOff(message, cut);
      const decoded = orRefused(() => byHand(bytes));
      if (decoded !== 'refused') expect(decoded).toEqual(generated(bytes));
    }),
  );
  for (const bytes of [[10], [10, 5, 1], [8, 255], [0], [11], [8, ...new Array<number>(10).fill(255)]])
    expect(orRefused(() => byHand(Buffer.from(bytes)))).toBe('refused');
  fc.assert(fc.property(contents, (bytes) => void orRefused(() => byHand(Buffer.from(bytes)))));
}

/** Decodes, or returns that it was refused. */
function orRefused<Value>(decode: () => Value): Value | 'refused' {
  try {
    return decode();
  } catch {
    return 'refused';
  }
}

/** Returns a beginning of the bytes; any number determines its length. */
function cutOff(bytes: Uint8Array, at: number): Buffer {
  return Buffer.from(bytes.subarray(0, at % (bytes.length + 1)));
}
