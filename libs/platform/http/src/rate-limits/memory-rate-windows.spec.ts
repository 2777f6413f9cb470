import fc from 'fast-check';
import { MemoryRateWindows } from './memory-rate-windows';
import type { RateSubject } from '../ports';

const user: RateSubject = { subject: 'user:u', limit: 300 };
let nowMs: number;
let windows: MemoryRateWindows;

beforeEach(() => {
  nowMs = 1_234_567;
  windows = new MemoryRateWindows(() => nowMs);
});

async function admitted(count: number, subjects: readonly RateSubject[] = [user]): Promise<number> {
  let passed = 0;
  for (let index = 0; index < count; index += 1) {
    const steps = await windows.consume(subjects);
    if (steps.every((step) => step.admitted)) passed += 1;
  }
  return passed;
}

it('admits exactly the limit, and says when a place is free again', async () => {
  expect(await admitted(1000)).toBe(300);
  expect(await windows.consume([user])).toEqual([{ admitted: false, remaining: 0, resetSeconds: 60, waitSeconds: 60 }]);
  nowMs += 59_000;
  expect(await windows.consume([user])).toEqual([{ admitted: false, remaining: 0, resetSeconds: 2, waitSeconds: 2 }]);
});

it('slides: a request leaves when it is 60 s old, and not before', async () => {
  expect(await admitted(100)).toBe(100);
  nowMs += 30_000;
  expect(await admitted(250)).toBe(200);
  nowMs += 29_500;
  expect(await admitted(1)).toBe(0);
  nowMs += 700;
  expect(await admitted(150)).toBe(100);
  nowMs += 30_000;
  expect(await admitted(350)).toBe(200);
});

it('counts a request against its user only when its key admits it', async () => {
  const key: RateSubject = { subject: 'key:k', limit: 10 };
  expect(await admitted(30, [key, user])).toBe(10);
  expect(await windows.consume([key, user])).toHaveLength(1);
  expect(await windows.consume([user])).toMatchObject([{ admitted: true, remaining: 289 }]);
});

it('counts a request as several, as many as its weight, and says when there is room for so many', async () => {
  const limited: RateSubject = { subject: 'user:few', limit: 12 };
  const heavy: RateSubject = { ...limited, weight: 10 };
  expect(await admitted(2, [limited])).toBe(2);
  nowMs += 30_000;
  expect(await admitted(1, [limited])).toBe(1);
  expect(await windows.consume([heavy])).toEqual([
    { admitted: false, remaining: 9, resetSeconds: 31, waitSeconds: 31 },
  ]);
  expect(await admitted(20, [limited])).toBe(9);
  expect(await windows.consume([heavy])).toEqual([
    { admitted: false, remaining: 0, resetSeconds: 31, waitSeconds: 60 },
  ]);
  nowMs += 60_100;
  expect(await windows.consume([heavy])).toMatchObject([{ admitted: true, remaining: 2 }]);
});

it('takes a request that weighs more than the limit as one that needs all of it', async () => {
  const heavy: RateSubject = { subject: 'user:tiny', limit: 4, weight: 10 };
  expect(await windows.consume([heavy])).toMatchObject([{ admitted: true, remaining: 0 }]);
  expect(await windows.consume([heavy])).toMatchObject([{ admitted: false, waitSeconds: 60 }]);
  nowMs += 60_100;
  expect(await windows.consume([heavy])).toMatchObject([{ admitted: true, remaining: 0 }]);
});

it('forgets idle subjects', async () => {
  await admitted(5);
  windows.sweep();
  expect(windows.size).toBe(1);
  nowMs += 60_200;
  windows.sweep();
  expect(windows.size).toBe(0);
});

it('never admits more than the limit within any 60 s, and refuses nobody who is below it for 60.1 s', async () => {
  const steps = fc.array(fc.tuple(fc.nat({ max: 40_000 }), fc.integer({ min: 1, max: 8 })), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      nowMs = 0;
      windows = new MemoryRateWindows(() => nowMs);
      const subject = { subject: 'user:u', limit: 5 };
      const passed: number[] = [];
      const within = (ms: number) => passed.filter((at) => at > nowMs - ms).length;
      for (const [pauseMs, requests] of plan) {
        nowMs += pauseMs;
        for (let request = 0; request < requests; request += 1) {
          const [answer] = await windows.consume([subject]);
          if (answer?.admitted === true) expect(within(60_000)).toBeLessThan(5);
          else expect(within(60_100)).toBeGreaterThanOrEqual(5);
          if (answer?.admitted === true) passed.push(nowMs);
        }
      }
    }),
  );
});
