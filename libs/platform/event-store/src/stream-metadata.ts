import { isJsonObject } from '@app/kernel';

/** What metadata of a stream hide of it, as EventStoreDB reads them; null for a member that is absent. */
export interface StreamCut {
  readonly maxCount: number | null;
  readonly maxAgeSeconds: number | null;
  /** Events before this revision are hidden; 2^63 - 1, rounded, in a soft-deleted stream. */
  readonly truncateBefore: number | null;
}

/** What the metadata in these bytes hide; null where they hide nothing, as an access list alone. */
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

/** Whether the metadata in these bytes have an access list, which counts for that stream instead of the default one. */
export function hasAccessList(data: Uint8Array): boolean {
  const metadata = parsed(data);
  return isJsonObject(metadata) && isJsonObject(metadata['$acl']);
}

/** Whether such metadata can hide every event of a stream: a count leaves the newest ones. */
export function hidesAll({ maxAgeSeconds, truncateBefore }: StreamCut): boolean {
  return maxAgeSeconds !== null || truncateBefore !== null;
}

/** The metadata in words, as the log and `GET /readyz` name them. */
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
    return null; // metadata that are no JSON hide nothing
  }
}
