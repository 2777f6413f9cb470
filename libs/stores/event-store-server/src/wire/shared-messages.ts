/** Messages that both hot requests contain: `event_store.client.StreamIdentifier` and `UUID`. */
import { bytesOf, varintOf, type ProtobufReader } from './protobuf-reader';
import { uuidTextOf } from './uuid';

export function readStreamIdentifier(reader: ProtobufReader): string {
  let name = '';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(3)) name = reader.text();
    else reader.skip(tag);
  }
  return name;
}

/** Reads the text of a UUID in either form, without validating it. */
export function readUuidText(reader: ProtobufReader): string {
  let text = '';
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === bytesOf(1)) text = reader.message(readStructuredUuid);
    else if (tag === bytesOf(2)) text = reader.text();
    else reader.skip(tag);
  }
  return text;
}

function readStructuredUuid(reader: ProtobufReader): string {
  let [most, least] = [0n, 0n];
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === varintOf(1)) most = reader.signedExactly();
    else if (tag === varintOf(2)) least = reader.signedExactly();
    else reader.skip(tag);
  }
  return uuidTextOf(most, least);
}
