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
