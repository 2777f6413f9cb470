/** Stream metadata as EventStoreDB stores it: the newest event of `$$stream`, a JSON object with `$`-named settings. */

const NOTHING_BEFORE_THE_END = (1n << 63n) - 1n;

export interface StreamMetadata {
  /** `$tb` is 2^63 - 1: the stream reads as missing until it is appended to again. */
  readonly softDeleted: boolean;
  /** `$tb`: revisions below are not read. */
  readonly truncateBefore: number;
  readonly maxCount: number | undefined;
  readonly maxAgeMs: number | undefined;
  /** All fields, so that reopening after a soft delete can write back the unchanged ones. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Bytes of its stored form. */
  readonly storedBytes: number;
}

/** Anything that is not a JSON object counts as metadata without settings. */
export function parseStreamMetadata(data: Uint8Array): StreamMetadata {
  const text = Buffer.from(data.buffer, data.byteOffset, data.length).toString('utf8');
  const fields = parseObject(text);
  const truncateBefore = exactTruncateBefore(text, fields);
  return {
    softDeleted: truncateBefore === NOTHING_BEFORE_THE_END,
    truncateBefore: Number(truncateBefore),
    maxCount: positive(fields['$maxCount']),
    maxAgeMs: scale(positive(fields['$maxAge'])),
    fields,
    storedBytes: data.length,
  };
}

/** Metadata that a soft delete writes over any other. The number exceeds a double, so it is put into the text literally. */
export const SOFT_DELETED_METADATA = Buffer.from(`{"$tb":${NOTHING_BEFORE_THE_END}}`);

/** Returns the metadata that the first append after a soft delete writes: only the revisions before it stay hidden. */
export function reopenedMetadata(previous: StreamMetadata | undefined, firstRevision: number): Buffer {
  return Buffer.from(JSON.stringify({ ...previous?.fields, $tb: firstRevision }));
}

/** JSON.parse rounds 2^63 - 1, so the digits are taken from the raw text when they are the number that was parsed. */
function exactTruncateBefore(text: string, fields: Record<string, unknown>): bigint {
  const parsed = fields['$tb'];
  if (typeof parsed !== 'number' || !Number.isInteger(parsed) || parsed < 0) return 0n;
  if (Number.isSafeInteger(parsed)) return BigInt(parsed);
  for (const [, digits = ''] of text.matchAll(/"\$tb"\s*:\s*(\d+)/g)) {
    if (Number(digits) === parsed) return BigInt(digits);
  }
  return BigInt(parsed);
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    // `as`: a JSON object has string keys and unknown values.
    return isObject ? (value as Record<string, unknown>) : {};
  } catch {
    // Clients may write any bytes there; anything but JSON sets nothing.
    return {};
  }
}

function positive(value: unknown): number | undefined {
  // The database cannot compare with fractions of an event or of a millisecond.
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

function scale(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
