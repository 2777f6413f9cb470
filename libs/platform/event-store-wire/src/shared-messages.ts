/** Messages that several others contain. */
import { mapEntry, storePosition, streamIdentifier, structuredUuid, uuid } from './fields';
import type { ProtobufReader } from './protobuf-reader';
import {
  bytesField,
  fieldSize,
  message,
  varintFieldSize,
  writeLength,
  writeText,
  writeVarintField,
} from './protobuf-writer';

export function readStreamIdentifier(reader: ProtobufReader): string {
  let name = '';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === streamIdentifier.name) name = reader.text();
    else reader.skip(tag);
  }
  return name;
}

/** Writes a field that identifies a stream, of whose name the caller knows the length in bytes. */
export function writeStreamIdentifier(
  target: Buffer,
  at: number,
  tag: number,
  name: string,
  nameBytes: number,
): number {
  return writeText(target, writeLength(target, at, tag, fieldSize(nameBytes)), streamIdentifier.name, name, nameBytes);
}

export function streamIdentifierField(tag: number, name: string): Buffer {
  return message(tag, [bytesField(streamIdentifier.name, Buffer.from(name))]);
}

/** Reads the text of a UUID in either form, without validating it. */
export function readUuidText(reader: ProtobufReader): string {
  let text = '';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === uuid.structured) text = reader.message(readStructuredUuid);
    else if (tag === uuid.text) text = reader.text();
    else reader.skip(tag);
  }
  return text;
}

/** Number of bytes of a field that is a UUID, as its text. */
export function uuidFieldSize(id: string): number {
  return fieldSize(fieldSize(id.length));
}

/** Writes a field that is a UUID, as its text, which is ASCII. */
export function writeUuidText(target: Buffer, at: number, tag: number, id: string): number {
  return writeText(target, writeLength(target, at, tag, fieldSize(id.length)), uuid.text, id, id.length);
}

function readStructuredUuid(reader: ProtobufReader): string {
  let [most, least] = [0n, 0n];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === structuredUuid.mostSignificant) most = reader.signedExactly();
    else if (tag === structuredUuid.leastSignificant) least = reader.signedExactly();
    else reader.skip(tag);
  }
  return uuidTextOf(most, least);
}

/** Returns the text of a UUID sent as two signed numbers of 64 bits. */
export function uuidTextOf(mostSignificant: bigint, leastSignificant: bigint): string {
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64BE(BigInt.asIntN(64, mostSignificant), 0);
  bytes.writeBigInt64BE(BigInt.asIntN(64, leastSignificant), 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The 16 bytes of a canonical UUID. */
export function uuidBytes(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

/** Reads an entry of a map from texts to texts. */
export function readMapEntry(reader: ProtobufReader): readonly [key: string, value: string] {
  let [key, value] = ['', ''];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === mapEntry.key) key = reader.text();
    else if (tag === mapEntry.value) value = reader.text();
    else reader.skip(tag);
  }
  return [key, value];
}

/** Number of bytes of an entry's content; the key is ASCII. */
export function mapEntrySize(key: string, value: string): number {
  return fieldSize(key.length) + fieldSize(Buffer.byteLength(value));
}

/** Writes a field that is an entry of a map; the key is ASCII. */
export function writeMapEntry(target: Buffer, start: number, tag: number, key: string, value: string): number {
  let at = writeLength(target, start, tag, mapEntrySize(key, value));
  at = writeText(target, at, mapEntry.key, key, key.length);
  return writeText(target, at, mapEntry.value, value, Buffer.byteLength(value));
}

/** The commit position, which is the position of an event, unless an old client wrote it in a transaction. */
export function readCommitPosition(reader: ProtobufReader): number {
  let position = 0;
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === storePosition.commit) position = reader.varint();
    else reader.skip(tag);
  }
  return position;
}

/** Number of bytes of a position's content. */
export function positionSize(position: number): number {
  return 2 * varintFieldSize(position);
}

/** Writes a field that is a position in the store. */
export function writePosition(target: Buffer, start: number, tag: number, position: number): number {
  let at = writeLength(target, start, tag, positionSize(position));
  at = writeVarintField(target, at, storePosition.commit, position);
  return writeVarintField(target, at, storePosition.prepare, position);
}

/** A field on its own that is a position in the store. */
export function positionField(tag: number, position: number): Buffer {
  const bytes = Buffer.allocUnsafe(fieldSize(positionSize(position)));
  writePosition(bytes, 0, tag, position);
  return bytes;
}
