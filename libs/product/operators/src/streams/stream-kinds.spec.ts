import { personalPaths } from '@app/kernel';
import { exportedCategories } from '@app/privacy';
import { foldingOf, marksByCategory, streamCategories } from './stream-kinds';

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

/** Streams of the deployment, its partners and its staff. */
const ofNoUser = ['partner', 'deployment', 'operator', 'audit', 'endpoint'];

it('an export of a user has every kind of stream that is a user’s', () => {
  expect([...exportedCategories, ...ofNoUser].sort()).toEqual([...streamCategories].sort());
});

it('no stream that an export leaves out has words of a person', () => {
  const withWords = marksByCategory.filter(({ members }) => personalPaths(members).length > 0);
  expect(withWords.map(({ category }) => category).filter((category) => ofNoUser.includes(category))).toEqual([]);
  expect(withWords.length).toBeGreaterThan(5);
});
