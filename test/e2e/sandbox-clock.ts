import { Clock, epochMsOf, instantOf, type Instant } from '@app/kernel';
import { Database } from '@app/read-store';
import { Timers, type Timer } from '@app/timers';
import { randomUUID } from 'node:crypto';
import type { Deployment } from '@app/testing/deployment';
import { requestJson, TestClient } from '@app/testing/client';
import { partOf } from '@app/testing/journeys';

interface ClockReading {
  readonly now: Instant;
  readonly remainingSeconds: number;
}

function move(deployment: Deployment, advanceSeconds: number): Promise<ClockReading> {
  return deployment.sandbox('POST', 'clock', { advanceSeconds });
}

/** Cases for the clock of a sandbox of two replicas in one process. */
export function clockCases(given: () => Deployment): void {
  describe('the clock', () => {
    it('moves every process, and the expiry of tokens with them', async () => {
      const user = await given().newUser();
      const { accessToken } = await given().sandbox<{ accessToken: string }>('POST', 'tokens', {
        subject: 'soon-gone',
        expiresInSeconds: 600,
      });
      const [, other = ''] = given().baseUrls;
      const short = new TestClient(other, given().partnerKey, accessToken, user.userId);
      expect((await short.post('/v1/users')).status).toBe(200);
      const before = await given().sandbox<ClockReading>('GET', 'clock');
      const askedMs = performance.now();
      const after = await move(given(), 601);
      expect(after.remainingSeconds).toBe(0);
      const gainedMs = epochMsOf(after.now) - epochMsOf(before.now);
      expect(gainedMs).toBeGreaterThanOrEqual(601_000);
      // The clock also advanced while this was asked and answered.
      expect(gainedMs).toBeLessThan(601_000 + 1_000 + (performance.now() - askedMs));
      const elsewhere = await requestJson<ClockReading>('GET', `${other}/sandbox/v1/clock`);
      expect(epochMsOf(elsewhere.body.now)).toBeGreaterThanOrEqual(epochMsOf(after.now));
      const refusedNow = await short.get('/v1/users/me');
      expect(refusedNow.body).toMatchObject({ status: 401, reason: 'credential_expired' });
      expect((await user.via(other).get('/v1/users/me')).status).toBe(200);
    });

    it('adds up moves that are asked for at once, on any replica', async () => {
      const before = await given().sandbox<ClockReading>('GET', 'clock');
      await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          requestJson('POST', `${given().baseUrls[index % 2]}/sandbox/v1/clock`, { advanceSeconds: 100 }),
        ),
      );
      const after = await given().sandbox<ClockReading>('GET', 'clock');
      expect(epochMsOf(after.now) - epochMsOf(before.now)).toBeGreaterThanOrEqual(1_200_000);
    });
  });
}

/** Cases for timers that fall due while the clock is moved. */
export function timerCases(given: () => Deployment): void {
  describe('the clock steps through timers', () => {
    const clock = () => partOf(given(), Clock);
    const handled: { id: string; dueAt: Instant; at: Instant }[] = [];
    const minutesFromNow = (minutes: number): Instant => instantOf(clock().epochMs() + minutes * 60_000);
    const kind = 'sandbox-spec';
    const timer = (id: string, dueAt: Instant, payload = {}): Timer => ({ id, kind, dueAt, payload });

    beforeAll(() => {
      for (const { app } of given().running) {
        const timers = app.get(Timers, { strict: false });
        timers.handle(kind, async ({ id, dueAt, payload }) => {
          if (payload['failures'] !== undefined && handled.filter((one) => one.id === id).length < 1) {
            handled.push({ id, dueAt, at: clock().now() });
            throw new Error('planned');
          }
          handled.push({ id, dueAt, at: clock().now() });
          const again = payload['againInMinutes'];
          if (typeof again === 'number') {
            await timers.schedule(timer(id, instantOf(epochMsOf(dueAt) + again * 60_000), { last: true }));
          }
        });
      }
    });

    beforeEach(() => void (handled.length = 0));

    it('in order, each at its own instant, with what their handlers schedule on the way', async () => {
      const timers = partOf(given(), Timers);
      const [soon, later, far] = [minutesFromNow(30), minutesFromNow(90), minutesFromNow(300)];
      await timers.schedule(timer('later', later));
      await timers.schedule(timer('soon', soon, { againInMinutes: 20 }));
      await timers.schedule(timer('far', far));
      await timers.schedule(timer('gone', soon));
      await timers.cancel('gone');
      const askedMs = performance.now();
      expect((await move(given(), 7_200)).remainingSeconds).toBe(0);
      const tookMs = performance.now() - askedMs;
      expect(handled.map(({ id }) => id)).toEqual(['soon', 'soon', 'later']);
      for (const { dueAt, at } of handled) {
        const lateMs = epochMsOf(at) - epochMsOf(dueAt);
        expect(lateMs).toBeGreaterThanOrEqual(0);
        expect(lateMs).toBeLessThan(1_000 + tookMs); // the clock advances in the meantime
      }
      expect(await timers.nextDue()).toBe(far);
      await timers.cancel('far');
    });

    it('waiting for those that fail first, and for those that a dead worker had claimed', async () => {
      const timers = partOf(given(), Timers);
      await timers.schedule(timer('failing', minutesFromNow(1), { failures: 1 }));
      await timers.schedule(timer('orphan', minutesFromNow(2)));
      await partOf(given(), Database).query(`UPDATE timers SET claimed_by = $1 WHERE id = 'orphan'`, [randomUUID()]);
      expect((await move(given(), 300)).remainingSeconds).toBe(0);
      expect(handled.map(({ id }) => id)).toEqual(['failing', 'failing', 'orphan']);
      expect(await timers.nextDue()).toBeNull();
    });

    it('handles what falls due by itself, without a move, and commits or fails with a transaction', async () => {
      const timers = partOf(given(), Timers);
      await timers.schedule(timer('by itself', instantOf(clock().epochMs() + 150)));
      await partOf(given(), Database)
        .transaction(async (manager) => {
          await timers.schedule(timer('rolled back', instantOf(clock().epochMs() + 100)), { runner: manager });
          throw new Error('rolled back');
        })
        .catch(() => undefined); // thrown above, to roll back
      await new Promise((resolve) => setTimeout(resolve, 600));
      expect(handled.map(({ id }) => id)).toEqual(['by itself']);
    });

    it('at most 2,000 instants in one call', async () => {
      const timers = partOf(given(), Timers);
      const start = clock().epochMs() + 10_000;
      // The clock advances between the calls, and that must not make the last ten fall due.
      const beyondMs = 1_200_000;
      await partOf(given(), Database).query(
        `INSERT INTO timers (id, kind, due_at_ms, payload)
         SELECT 'many-' || n, $1, $2::bigint + n * 1000 + $3 * (n > 2000)::int, '{}' FROM generate_series(1, 2010) AS n`,
        [kind, start, beyondMs],
      );
      const first = await move(given(), 3_600);
      expect(handled).toHaveLength(2_000);
      expect(first.remainingSeconds).toBeGreaterThan(1_210);
      const second = await move(given(), first.remainingSeconds);
      expect(second.remainingSeconds).toBe(0);
      expect(handled).toHaveLength(2_010);
      expect(await timers.nextDue()).toBeNull();
    });
  });
}
