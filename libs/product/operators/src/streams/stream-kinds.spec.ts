import { foldingOf, streamCategories } from './stream-kinds';

const metadata = {
  $correlationId: 'c',
  $causationId: 'c',
  requestId: 'r',
  actor: { kind: 'operator', id: 'ada' },
} as const;

it.each(streamCategories)('a stream of %s is not folded from what is no event of it', (category) => {
  const stream = `${category}-x`;
  for (const type of ['other.noticed', 'toString']) {
    const payload = { type, at: '2026-03-01T10:00:00.000Z' };
    const event = { stream, revision: 0, position: 1, id: 'e', type, payload, metadata };
    expect([category, type, foldingOf(stream)?.take(event)]).toEqual([category, type, false]);
  }
});
