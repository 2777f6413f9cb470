import { Unavailable } from '@app/kernel';
import { GroupLoader } from './group-loader';

/** A loader whose calls are answered when the test decides. */
function controlled(bounds = { batchMax: 3, waitingMax: 8 }) {
  const calls: { requests: readonly number[]; finish: (error?: Error) => void }[] = [];
  const loader = new GroupLoader<number, string>(
    (requests) =>
      new Promise((resolve, reject) => {
        const finish = (error?: Error) =>
          error ? reject(error) : resolve(requests.map((request) => `answer ${request}`));
        calls.push({ requests, finish });
      }),
    bounds,
  );
  return { loader, calls };
}

const turns = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

describe('a group loader', () => {
  it('makes one call at a time, for all that wait, each with its own answer', async () => {
    const { loader, calls } = controlled();
    const answers = [1, 2].map((request) => loader.load(request));
    await turns();
    answers.push(...[3, 4, 5, 6].map((request) => loader.load(request)));
    await turns();
    expect(calls.map(({ requests }) => requests)).toEqual([[1, 2]]);
    calls[0]?.finish();
    await turns();
    expect(calls.map(({ requests }) => requests)).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
    calls[1]?.finish();
    await turns();
    calls[2]?.finish();
    expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5, 6].map((request) => `answer ${request}`));
  });

  it('fails those of a failed call only', async () => {
    const { loader, calls } = controlled();
    const failed = loader.load(1);
    await turns();
    const fine = loader.load(2);
    calls[0]?.finish(new Error('broken'));
    await expect(failed).rejects.toThrow('broken');
    await turns();
    calls[1]?.finish();
    expect(await fine).toBe('answer 2');
  });

  it('lets a bounded number wait', async () => {
    const { loader, calls } = controlled();
    const waiting = Array.from({ length: 8 }, (_, request) => loader.load(request));
    await expect(loader.load(9)).rejects.toThrow(Unavailable);
    for (let call = 0; call < 3; call += 1) {
      await turns();
      calls[call]?.finish();
    }
    expect(await Promise.all(waiting)).toHaveLength(8);
    const again = loader.load(10);
    await turns();
    calls[3]?.finish();
    expect(await again).toBe('answer 10');
  });

  it('does not wait for a call forever', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const { loader, calls } = controlled();
    const lost = loader.load(1);
    await turns();
    const next = loader.load(2);
    const refused = expect(lost).rejects.toThrow(Unavailable);
    jest.advanceTimersByTime(10_000);
    await refused;
    await turns();
    calls[1]?.finish();
    expect(await next).toBe('answer 2');
    jest.useRealTimers();
  });
});
