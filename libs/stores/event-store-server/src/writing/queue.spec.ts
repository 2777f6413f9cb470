import { GROUP_EVENTS_MAX, QUEUED_APPENDS_MAX, QUEUED_BYTES_MAX } from '../limits';
import { PendingWrite, WriteQueue } from './queue';
import type { WriteResult } from './request';

const EVENT = { id: '', type: 't', isJson: true, data: Buffer.alloc(0), metadata: Buffer.alloc(0) };

function pending(
  options: { events?: number; bytes?: number; deadlineMs?: number } = {},
): [PendingWrite, WriteResult[]] {
  const answers: WriteResult[] = [];
  const { events = 1, bytes = 1, deadlineMs = Infinity } = options;
  const list = new Array<typeof EVENT>(events).fill(EVENT);
  const request = { kind: 'append', stream: 's', expected: 'any', deadlineMs, events: list, bytes } as const;
  return [new PendingWrite(request, (result) => answers.push(result)), answers];
}

test('a group ends at its bounds, and an append is never split', () => {
  const queue = new WriteQueue();
  const sizes = [GROUP_EVENTS_MAX + 5, 1, GROUP_EVENTS_MAX - 1, 1];
  for (const events of sizes) queue.add(pending({ events })[0]);
  const taken = [queue.nextGroup(0), queue.nextGroup(0), queue.nextGroup(0), queue.nextGroup(0)].map(
    (group) => group.length,
  );
  expect(taken).toEqual([1, 2, 1, 0]);
});

test('is full by count or by bytes, and calls back once there is room', () => {
  const byCount = new WriteQueue();
  for (let n = 0; n < QUEUED_APPENDS_MAX; n++) byCount.add(pending()[0]);
  const byBytes = new WriteQueue();
  byBytes.add(pending({ bytes: QUEUED_BYTES_MAX })[0]);
  for (const queue of [byCount, byBytes]) {
    expect(queue.isFull).toBe(true);
    let calls = 0;
    queue.onRoom(() => calls++);
    queue.nextGroup(0);
    queue.nextGroup(0);
    expect([queue.isFull, calls]).toEqual([false, 1]);
  }
});

test('what is late is answered once and not written', () => {
  const queue = new WriteQueue();
  const [late, answers] = pending({ deadlineMs: 10 });
  const [other] = pending();
  queue.add(late);
  queue.add(other);
  queue.answerLate(9);
  expect(answers).toEqual([]);
  queue.answerLate(10);
  expect(queue.nextGroup(11)).toEqual([other]);
  late.answer({ kind: 'written', revision: 0, position: 1 });
  expect(answers).toEqual([{ kind: 'timeout' }]);
});

test('everything queued shares a failure', () => {
  const queue = new WriteQueue();
  const all = [pending(), pending()];
  for (const [entry] of all) queue.add(entry);
  queue.failAll({ kind: 'unavailable', message: 'away' });
  expect(all.map(([, answers]) => answers)).toEqual(all.map(() => [{ kind: 'unavailable', message: 'away' }]));
  expect([queue.length, queue.nextGroup(0)]).toEqual([0, []]);
});
