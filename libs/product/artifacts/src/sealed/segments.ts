import type { ByteRange } from '@app/http';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/*
 * The form of sealed files: eight bytes of name and version, then a stream of Tink's "AES-GCM-HKDF Streaming AEAD"
 * (developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming), which is the STREAM construction of Hoang, Reyhanitabar, Rogaway and
 * Vizár (2015): AES-256-GCM for each segment, under a key of the file's own, with a nonce of prefix, number and whether it is the last.
 */
const form = Buffer.from('PARLEY\0\x01', 'latin1');
const keyBytes = 32;
const saltBytes = 32;
const noncePrefixBytes = 7;
const tagBytes = 16;
/** The header of Tink: its own length, the salt of the file's key, the prefix of nonces. */
const streamHeaderBytes = 1 + saltBytes + noncePrefixBytes;
/** All that precedes the first segment. */
export const headerBytes = form.length + streamHeaderBytes;
/** A segment with its tag; the first one shares these bytes with Tink's header. */
export const segmentBytes = 64 * 1024;
const plainPerSegment = segmentBytes - tagBytes;
const plainInFirst = plainPerSegment - streamHeaderBytes;
/** The number of a segment has 32 bits. */
const segmentsMax = 2 ** 32;

/** Returns how many bytes of plaintext a segment has that is not the last. */
export function plainBytesOf(segment: number): number {
  return segment === 0 ? plainInFirst : plainPerSegment;
}

/** Returns the number of the segment that has this byte of the plaintext. */
function segmentOf(plainAt: number): number {
  return plainAt < plainInFirst ? 0 : 1 + Math.floor((plainAt - plainInFirst) / plainPerSegment);
}

/** Returns the place of a segment's first byte in the plaintext. */
function plainStartOf(segment: number): number {
  return segment === 0 ? 0 : plainInFirst + (segment - 1) * plainPerSegment;
}

/** Returns the place of a segment's first byte in the sealed file. */
function startOf(segment: number): number {
  return segment === 0 ? headerBytes : form.length + segment * segmentBytes;
}

/** Returns the length of a sealed file. @param bytes of its plaintext */
export function sealedBytesOf(bytes: number): number {
  const last = lastSegmentOf(bytes);
  return startOf(last) + bytes - plainStartOf(last) + tagBytes;
}

function lastSegmentOf(bytes: number): number {
  return bytes === 0 ? 0 : segmentOf(bytes - 1);
}

/** The segments that have some bytes of a plaintext. */
export interface Segments {
  readonly first: number;
  readonly last: number;
  /** Whether the last one is that of the file, which its nonce says. */
  readonly isEnd: boolean;
  /** Their bytes in the sealed file, first and last included. */
  readonly sealed: ByteRange;
  /** Length of the last one in the sealed file; the others are full. */
  readonly lastBytes: number;
  /** The bytes of the plaintext before those that are asked for, and the number of these. */
  readonly skip: number;
  readonly take: number;
}

/** Returns the segments of a part of a plaintext. @param bytes of the whole plaintext @param range within it; all if absent */
export function segmentsFor(bytes: number, range: ByteRange = { from: 0, to: bytes - 1 }): Segments {
  const [first, last, end] = [segmentOf(range.from), lastSegmentOf(range.to + 1), lastSegmentOf(bytes)];
  const after = last === end ? sealedBytesOf(bytes) : startOf(last + 1);
  return {
    first,
    last,
    isEnd: last === end,
    sealed: { from: startOf(first), to: after - 1 },
    lastBytes: after - startOf(last),
    skip: range.from - plainStartOf(first),
    take: range.to - range.from + 1,
  };
}

/** Returns the length of a full segment in the sealed file. */
export function fullBytesOf(segment: number): number {
  return plainBytesOf(segment) + tagBytes;
}

/** Returns the header of a new file: a salt and a prefix that no other file has. */
export function newHeader(): Buffer {
  return Buffer.concat([form, Buffer.of(streamHeaderBytes), randomBytes(saltBytes + noncePrefixBytes)]);
}

/** Seals and opens the segments of one file. */
export class SegmentCipher {
  private readonly fileKey: Buffer;
  private readonly noncePrefix: Buffer;

  /** @param key of 32 bytes @throws Error for a header of another form */
  constructor(key: Buffer, header: Buffer) {
    const begin = Buffer.concat([form, Buffer.of(streamHeaderBytes)]);
    if (header.length !== headerBytes || !header.subarray(0, begin.length).equals(begin))
      throw new Error('not a sealed file of a version that this one reads');
    const salt = header.subarray(begin.length, begin.length + saltBytes);
    this.fileKey = Buffer.from(hkdfSync('sha256', key, salt, form, keyBytes));
    this.noncePrefix = header.subarray(begin.length + saltBytes);
  }

  seal(segment: number, isLast: boolean, plain: Buffer): Buffer {
    const cipher = createCipheriv('aes-256-gcm', this.fileKey, this.nonceOf(segment, isLast));
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  }

  /** @throws Error for bytes that are not those which were sealed as this segment */
  open(segment: number, isLast: boolean, sealed: Buffer): Buffer {
    if (sealed.length < tagBytes) throw new Error('a segment is shorter than its tag');
    const [ciphertext, tag] = [sealed.subarray(0, -tagBytes), sealed.subarray(-tagBytes)];
    const options = { authTagLength: tagBytes };
    const decipher = createDecipheriv('aes-256-gcm', this.fileKey, this.nonceOf(segment, isLast), options);
    decipher.setAuthTag(tag);
    const plain = decipher.update(ciphertext);
    decipher.final();
    return plain;
  }

  private nonceOf(segment: number, isLast: boolean): Buffer {
    if (segment >= segmentsMax) throw new RangeError('a sealed file has too many segments');
    const end = Buffer.alloc(5);
    end.writeUInt32BE(segment);
    end.writeUInt8(isLast ? 1 : 0, 4);
    return Buffer.concat([this.noncePrefix, end]);
  }
}
