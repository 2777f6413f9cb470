import { CheckpointEvents } from './checkpoint-events';

const opened = {
  stream: 'audit-checkpoints',
  revision: 0,
  id: '0190a000-0000-7000-8000-000000000000',
  type: 'log.opened',
  isJson: true,
  data: Buffer.from('{"origin":"parley/test"}'),
  metadata: Buffer.of(),
};

/** The problems of a stream that has the opening event at each of these revisions. */
function problemsAt(...revisions: readonly number[]) {
  const events = new CheckpointEvents();
  for (const revision of revisions) events.take({ ...opened, revision });
  return events.result().problems;
}

it('finds nothing wrong with a stream that begins with its first event', () => {
  expect(problemsAt(0)).toEqual([]);
});

it('names an event that was removed', () => {
  expect(problemsAt(1)).toEqual([{ revision: 0, says: 'was removed' }]);
});

it('names a gap once, however long it is', () => {
  expect(problemsAt(1_000_000)).toEqual([
    { revision: 0, says: 'was removed, and so were all after it up to revision 999999' },
  ]);
});

it('names each gap, and what is wrong behind it', () => {
  expect(problemsAt(2, 4)).toEqual([
    { revision: 0, says: 'was removed, and so were all after it up to revision 1' },
    { revision: 3, says: 'was removed' },
    { revision: 4, says: 'names the log a second time' },
  ]);
});

describe('a log that began anew when its events were sealed', () => {
  const from = { origin: 'parley/test', size: 3, root: 'cm9vdA==', note: 'note' };
  const events = (last: object) => [
    { ...opened },
    { ...opened, type: 'checkpoint.fixed', data: bytesOf({ size: 3, root: 'cm9vdA==' }) },
    { ...opened, type: 'checkpoint.signed', data: bytesOf({ size: 3, key: 'parley/test+1+a', note: 'note' }) },
    { ...opened, type: 'log.resumed', data: bytesOf({ as: 'copy', origin: 'parley/new', anew: true, from: last }) },
    { ...opened, type: 'checkpoint.fixed', data: bytesOf({ size: 2, root: 'b3RoZXI=' }) },
    { ...opened, type: 'checkpoint.signed', data: bytesOf({ size: 2, key: 'parley/new+1+a', note: 'other' }) },
  ];
  const resultOf = (last: object) => {
    const stream = new CheckpointEvents();
    for (const [revision, event] of events(last).entries()) stream.take({ ...event, revision });
    return stream.result();
  };

  it('names the log of before with its last tree, of which it has no leaf, and may sign smaller trees', () => {
    const { origin, beforeSealing, claims, problems } = resultOf(from);
    expect([origin, problems]).toEqual(['parley/new', []]);
    expect(beforeSealing).toEqual([{ origin: 'parley/test', size: 3, root: 'cm9vdA==', revision: 3 }]);
    expect(claims).toMatchObject([
      { note: 'note', isFormer: true, isOfOtherLeaves: true },
      { note: 'other', isFormer: false, isOfOtherLeaves: false },
    ]);
  });

  it.each([
    ['another tree', { ...from, root: 'YW5vdGhlcg==' }, 'does not begin with the last checkpoint of the log before'],
    ['a smaller tree', { ...from, size: 2 }, 'does not begin with the last checkpoint of the log before'],
    ['another log', { ...from, origin: 'parley/x' }, 'is a copy of another log than the one before'],
  ])('cannot begin with %s', (_, last, says) => {
    expect(resultOf(last).problems[0]).toEqual({ revision: 3, says });
  });
});

function bytesOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
