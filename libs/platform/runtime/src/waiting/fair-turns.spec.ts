import { FairTurns, TooManyWaiting } from './fair-turns';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that continues until it is ended by name; records what began, in order. */
function stage(turns: FairTurns) {
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const begin = (key: string, name: string, signal = never) =>
    turns.run(key, signal, async () => {
      began.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { began, begin, end };
}

describe('turns', () => {
  it('are taken by the keys one after the other, so much of each at once', async () => {
    const { began, begin, end } = stage(new FairTurns({ atOnceMax: 3, atOncePerKeyMax: 2, waitingPerKeyMax: 8 }));
    const all = [
      ...['a1', 'a2', 'a3', 'a4'].map((name) => begin('a', name)),
      ...['b1', 'b2'].map((name) => begin('b', name)),
      begin('c', 'c1'),
    ];
    await settle();
    expect(began).toEqual(['a1', 'a2', 'b1']);
    for (const name of ['b1', 'a1', 'a2', 'c1', 'a3', 'b2', 'a4']) await end(name);
    await Promise.all(all);
    expect(began.slice(3)).toEqual(['b2', 'a3', 'c1', 'a4']);
  });

  it('are refused to a key that has too many waiting, and to no other', async () => {
    const { begin, end } = stage(new FairTurns({ atOnceMax: 1, atOncePerKeyMax: 1, waitingPerKeyMax: 1 }));
    const all = [begin('a', 'a1'), begin('a', 'a2'), begin('b', 'b1')];
    await settle();
    await expect(begin('a', 'a3')).rejects.toThrow(TooManyWaiting);
    for (const name of ['a1', 'a2', 'b1', 'a2']) await end(name);
    await Promise.all(all);
  });

  it('are given up by who is told to, and go on after a failure', async () => {
    const turns = new FairTurns({ atOnceMax: 1, atOncePerKeyMax: 1, waitingPerKeyMax: 8 });
    const { began, begin, end } = stage(turns);
    const failing = turns.run('a', never, () => Promise.reject(new Error('broken')));
    const abort = new AbortController();
    const [first, left, last] = [begin('a', 'a1'), begin('a', 'a2', abort.signal), begin('a', 'a3')];
    await expect(failing).rejects.toThrow('broken');
    abort.abort(new Error('not wanted'));
    await expect(left).rejects.toThrow('not wanted');
    for (const name of ['a1', 'a3']) await end(name);
    await Promise.all([first, last]);
    expect(began).toEqual(['a1', 'a3']);
  });
});
