import { BadWeather } from './bad-weather';
import { OpenCalls } from './services/open-calls';
import type { Writes } from './writing/request';

const SEEDS = 4;
const DAY_MS = 60_000;
const STEP_MS = 50;
const lastsMs = { elect: 3_000, stall: 1_000 };

beforeEach(() => jest.useFakeTimers({ now: 0 }));
afterEach(() => jest.useRealTimers());

/** Stores every write at once. */
const writer: Writes = {
  isFull: false,
  onRoom: () => undefined,
  submit: (_, onDone) => onDone({ kind: 'written', revision: 0, position: 1 }),
};
const request = { kind: 'append', stream: 'a', expected: 'any', deadlineMs: Infinity, events: [], bytes: 0 } as const;

it('an election and a stall last as long as the newest of them says, and nothing outlasts the day', () => {
  const overlaps = { elect: 0, stall: 0 };
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const calls = new OpenCalls();
    const began: Record<string, number> = {};
    const weather = new BadWeather(`${seed}`, writer, calls, (_, __, fields) => {
      const strike = fields !== undefined && 'strike' in fields ? fields.strike : null;
      if (strike !== 'elect' && strike !== 'stall') return;
      if (Date.now() - (began[strike] ?? -Infinity) < lastsMs[strike]) overlaps[strike] += 1;
      began[strike] = Date.now();
    });
    const lasts = (strike: 'elect' | 'stall') => Date.now() - (began[strike] ?? -Infinity) < lastsMs[strike];
    let waiting = 0;
    weather.begin(() => undefined);
    for (const end = Date.now() + DAY_MS; Date.now() < end;) {
      jest.advanceTimersByTime(STEP_MS);
      expect(calls.refusal !== undefined).toBe(lasts('elect'));
      waiting += 1;
      weather.submit(request, () => (waiting -= 1));
      if (!lasts('elect')) expect(waiting > 0).toBe(lasts('stall'));
    }
    weather.end();
    expect([waiting, jest.getTimerCount(), calls.refusal]).toEqual([0, 0, undefined]);
  }
  // Otherwise the test would prove nothing about them.
  expect([overlaps.elect > 0, overlaps.stall > 0]).toEqual([true, true]);
});
