import { randomUUID } from 'node:crypto';
import type { ExpectedRevision, ProposedEvent } from '../event';
import type { IdPlace } from '../storage/heads-table';
import { Group, spansToReadBack, type GroupPast } from './group';
import type { Head } from '../streams/head';
import type { Append, WriteRequest } from './request';

const NEVER = Infinity;
const NO_STREAM: Head = { last: -1, tombstoned: false, metaLast: -1, metadata: undefined };

function proposed(id: string = randomUUID()): ProposedEvent {
  return { id, type: 't', isJson: true, data: Buffer.from('{}'), metadata: Buffer.alloc(0) };
}

function append(expected: ExpectedRevision, events: ProposedEvent[] = [proposed()], stream = 's'): Append {
  return { kind: 'append', stream, expected, deadlineMs: NEVER, events, bytes: 0 };
}

function past(head: Partial<Head> = {}, known: IdPlace[] = [], readBack: IdPlace[] = []): GroupPast {
  return {
    lastPosition: 100,
    head: () => ({ ...NO_STREAM, ...head }),
    knownId: (id) => known.find((place) => place.id === id),
    readBack,
  };
}

function decide(given: GroupPast, ...requests: WriteRequest[]): { group: Group; results: unknown[] } {
  const group = new Group(given, 1_000);
  return { group, results: requests.map((request) => group.decide(request)) };
}

test('requests of a group see what those before them will have written', () => {
  const repeated = append('no_stream', [proposed(), proposed()]);
  const { group, results } = decide(past(), repeated, append(1), append(0), append('any'), repeated);
  expect(results).toEqual([
    { kind: 'written', revision: 1, position: 102 },
    { kind: 'written', revision: 2, position: 103 },
    { kind: 'wrong-expected-version', stream: 's', expected: 0, current: 2 },
    { kind: 'written', revision: 3, position: 104 },
    { kind: 'written', revision: 1, position: 102 },
  ]);
  expect(group.events.map(({ position, revision }) => [position, revision])).toEqual([
    [101, 0],
    [102, 1],
    [103, 2],
    [104, 3],
  ]);
});

test('a group changes nothing outside until it is committed', () => {
  const given = past({ last: 4 });
  const head = given.head('s');
  decide({ ...given, head: () => head }, append(4), {
    kind: 'tombstone',
    stream: 's',
    expected: 'any',
    deadlineMs: NEVER,
  });
  expect(head).toEqual({ ...NO_STREAM, last: 4 });
});

test('a repeat of long ago is recognized by what was read back', () => {
  const again = append(2);
  const id = again.events[0]?.id ?? '';
  const place: IdPlace = { id, stream: 's', revision: 3, position: 50 };
  expect(spansToReadBack([again], past({ last: 9 }))).toEqual([{ stream: 's', from: 3, to: 3 }]);
  expect(spansToReadBack([again], past({ last: 9 }, [place]))).toEqual([]);
  expect(spansToReadBack([append(9), append('any')], past({ last: 9 }))).toEqual([]);
  expect(decide(past({ last: 9 }, [], [place]), again).results).toEqual([
    { kind: 'written', revision: 3, position: 50 },
  ]);
  const other = { ...place, id: randomUUID() };
  expect(decide(past({ last: 9 }, [], [other]), again).results).toMatchObject([
    { kind: 'wrong-expected-version', current: 9 },
  ]);
});

test('the first append after a soft delete opens the stream again, in the same group', () => {
  const { group, results } = decide(
    past({ last: 4 }),
    { kind: 'delete', stream: 's', expected: 4, deadlineMs: NEVER },
    append('stream_exists'),
    append('no_stream'),
  );
  expect(results).toMatchObject([{ kind: 'written' }, { kind: 'stream-deleted' }, { kind: 'written', revision: 5 }]);
  expect(group.events.map(({ stream, revision }) => [stream, revision])).toEqual([
    ['$$s', 0],
    ['s', 5],
    ['$$s', 1],
  ]);
  expect(group.heads.get('s')?.metadata).toMatchObject({ softDeleted: false, truncateBefore: 5 });
});

test('after a tombstone nothing is written to the stream nor to its metadata', () => {
  const end: WriteRequest = { kind: 'tombstone', stream: 's', expected: 'any', deadlineMs: NEVER };
  const { results } = decide(past({ last: 1 }), end, append('any'), append('any', [proposed()], '$$s'), end);
  expect(results.slice(1)).toEqual([
    { kind: 'stream-deleted', stream: 's' },
    { kind: 'stream-deleted', stream: '$$s' },
    { kind: 'stream-deleted', stream: 's' },
  ]);
});
