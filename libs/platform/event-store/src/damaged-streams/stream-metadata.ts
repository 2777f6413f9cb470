import { isJsonObject } from '@app/kernel';

/** The events of a stream that its metadata hides, in EventStoreDB's terms; null for a member that is absent. */
export interface StreamCut {
  readonly maxCount: number | null;
  readonly maxAgeSeconds: number | null;
  /** Events before this revision are hidden; in a soft-deleted stream it is 2^63 - 1, rounded. */
  readonly truncateBefore: number | null;
}

/** Parses the cut in the metadata in these bytes; null when it hides nothing, for example an access list alone. */
export function cutIn(data: Uint8Array): StreamCut | null {
  const metadata = parsed(data);
  if (!isJsonObject(metadata)) return null;
  const number = (name: string): number | null => {
    const value = metadata[name];
    return typeof value === 'number' && value > 0 ? value : null;
  };
  const cut = { maxCount: number('$maxCount'), maxAgeSeconds: number('$maxAge'), truncateBefore: number('$tb') };
  return Object.values(cut).some((value) => value !== null) ? cut : null;
}

/** Whether the metadata in these bytes has an access list, which replaces the default one for that stream. */
export function hasAccessList(data: Uint8Array): boolean {
  const metadata = parsed(data);
  return isJsonObject(metadata) && isJsonObject(metadata['$acl']);
}

/** Whether such metadata can hide every event of a stream; a count always leaves the newest ones. */
export function hidesAll({ maxAgeSeconds, truncateBefore }: StreamCut): boolean {
  return maxAgeSeconds !== null || truncateBefore !== null;
}

/** The cut in words, as the log and `GET /readyz` show it. */
export function cutInWords({ maxCount, maxAgeSeconds, truncateBefore }: StreamCut): string {
  return [
    ...(maxCount === null ? [] : [`$maxCount ${maxCount}`]),
    ...(maxAgeSeconds === null ? [] : [`$maxAge ${maxAgeSeconds} s`]),
    ...(truncateBefore === null ? [] : [Number.isSafeInteger(truncateBefore) ? `$tb ${truncateBefore}` : 'deleted']),
  ].join(', ');
}

function parsed(data: Uint8Array): unknown {
  try {
    const metadata: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
    return metadata;
  } catch {
    return null; // metadata that is not JSON hides nothing
  }
}
