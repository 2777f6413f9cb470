import { NO_HEAD, type Head } from '../streams/head';
import { KnownHeads } from './known-heads';
import { parseStreamMetadata } from '../streams/stream-metadata';

const BYTES_MAX = 10_000;
const head = (last: number, metadata?: string): Head => ({
  ...NO_HEAD,
  last,
  metadata: metadata === undefined ? undefined : parseStreamMetadata(Buffer.from(metadata)),
});
const streams = Array.from({ length: 100 }, (_, n) => `stream-${n}`);
const known = (heads: KnownHeads) => streams.filter((stream) => heads.has(stream));

test('heads are kept by their bytes, and those go that were used least lately', () => {
  const heads = new KnownHeads(BYTES_MAX);
  for (const stream of streams) {
    heads.set(stream, head(1));
    heads.get('stream-0');
  }
  const kept = known(heads);
  expect(kept[0]).toBe('stream-0');
  expect(kept.slice(1)).toEqual(streams.slice(1 - kept.length));
  expect(kept.length).toBeGreaterThan(30);
  expect(kept.length).toBeLessThan(50);
});

test('metadata and long names take the room of many', () => {
  const heads = new KnownHeads(BYTES_MAX);
  for (const stream of streams) heads.set(stream, head(1));
  heads.set('long'.repeat(250), head(1));
  const few = known(heads).length;
  expect(few).toBeLessThan(40);
  heads.set('stream-99', head(1, `{"note":"${'x'.repeat(500)}"}`));
  expect(known(heads).length).toBeLessThan(few - 15);
  expect(heads.get('stream-99')?.metadata?.fields['note']).toHaveLength(500);
  // A head that alone exceeds the cache is read each time.
  heads.set('stream-99', head(1, `{"note":"${'x'.repeat(BYTES_MAX)}"}`));
  expect(heads.has('stream-99')).toBe(false);
});
