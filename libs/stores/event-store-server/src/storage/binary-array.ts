/**
 * Arrays in PostgreSQL's binary format, as `array_send` writes them. A `pg` parameter that is a Buffer is sent as binary, so a group of
 * events need not be written as text, quoted, escaped and parsed again.
 */
import { TOMBSTONE_REVISION, TOMBSTONE_REVISION_EXACT } from '../event';
import { uuidBytes } from '@app/event-store-wire';

const OID = { bool: 16, bytea: 17, int8: 20, text: 25, uuid: 2950 } as const;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

export function int8Array(values: readonly number[]): Buffer {
  const target = arrayOf(OID.int8, values.length, values.length * (LENGTH_BYTES + 8));
  values.forEach((value, index) => {
    const at = HEADER_BYTES + index * (LENGTH_BYTES + 8);
    target.writeInt32BE(8, at);
    target.writeBigInt64BE(value === TOMBSTONE_REVISION ? TOMBSTONE_REVISION_EXACT : BigInt(value), at + LENGTH_BYTES);
  });
  return target;
}

export function booleanArray(values: readonly boolean[]): Buffer {
  const target = arrayOf(OID.bool, values.length, values.length * (LENGTH_BYTES + 1));
  values.forEach((value, index) => {
    const at = HEADER_BYTES + index * (LENGTH_BYTES + 1);
    target.writeInt32BE(1, at);
    target[at + LENGTH_BYTES] = value ? 1 : 0;
  });
  return target;
}

export function byteaArray(values: readonly Uint8Array[]): Buffer {
  return variableArray(OID.bytea, values);
}

/** The texts must hold no NUL character, because PostgreSQL would refuse the whole array. */
export function textArray(values: readonly string[]): Buffer {
  return variableArray(
    OID.text,
    values.map((value) => Buffer.from(value)),
  );
}

export function uuidArray(values: readonly string[]): Buffer {
  return variableArray(OID.uuid, values.map(uuidBytes));
}

function variableArray(elementOid: number, values: readonly Uint8Array[]): Buffer {
  let bytes = 0;
  for (const value of values) bytes += LENGTH_BYTES + value.length;
  const target = arrayOf(elementOid, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = target.writeInt32BE(value.length, at);
    target.set(value, at);
    at += value.length;
  }
  return target;
}

function arrayOf(elementOid: number, count: number, bytes: number): Buffer {
  if (count === 0) {
    const empty = Buffer.alloc(12);
    empty.writeInt32BE(elementOid, 8);
    return empty;
  }
  const target = Buffer.allocUnsafe(HEADER_BYTES + bytes);
  target.writeInt32BE(1, 0); // dimensions
  target.writeInt32BE(0, 4); // no nulls
  target.writeInt32BE(elementOid, 8);
  target.writeInt32BE(count, 12);
  target.writeInt32BE(1, 16); // lower bound
  return target;
}
