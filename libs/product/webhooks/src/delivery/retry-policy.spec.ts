import { attemptsMax, applyOutcome, type Attempted, type Consequence, type Health, type Outcome } from './retry-policy';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const nowMs = 1_000 * dayMs;

const first: Attempted = { attempts: 0, failedIn: null, isOwn: false, isProbe: false, hasNext: false };
const well: Health = { failures: 0, failingSinceMs: null, period: 4 };
const failing: Health = { failures: 1, failingSinceMs: nowMs - hourMs, period: 4 };
const taken: Outcome = { kind: 'delivered', status: 204 };
const refused: Outcome = { kind: 'failed', failure: 'status', status: 500, retryAfterMs: null };

/** given this attempt at an endpoint, when this is its outcome, then that is the consequence; without jitter. */
function given(attempted: Partial<Attempted>, health: Health = well) {
  return {
    when: (outcome: Outcome, random = 0.5): Consequence =>
      applyOutcome({ ...first, ...attempted }, health, outcome, { nowMs, random }),
  };
}

describe('a message that is taken', () => {
  it('is delivered, and the next of its stream is due', () => {
    expect(given({}).when(taken)).toEqual({
      delivery: { state: 'delivered', attempts: 1, failedIn: null },
      lane: { dueInMs: 0, isProbing: false, downIn: null },
      health: well,
      recovered: false,
      restMs: 0,
      disable: null,
    });
  });

  it('ends an outage: a new period begins, and what waited is woken', () => {
    const { health, recovered } = given({ attempts: 3, failedIn: 4 }, failing).when(taken);
    expect(health).toEqual({ failures: 0, failingSinceMs: null, period: 5 });
    expect(recovered).toBe(true);
  });
});

describe('a message that is not taken', () => {
  it('is attempted 8 times, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h', () => {
    const pauses = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs];
    for (const [attempts, pauseMs] of pauses.entries()) {
      const { delivery, lane } = given({ attempts }).when(refused);
      expect([delivery.state, delivery.attempts, lane.dueInMs]).toEqual(['pending', attempts + 1, pauseMs]);
    }
    expect(attemptsMax).toBe(pauses.length + 1);
  });

  it('waits a tenth more or less', () => {
    expect(given({}).when(refused, 0).lane.dueInMs).toBe(4_500);
    expect(given({}).when(refused, 0.999_999).lane.dueInMs).toBe(5_500);
  });

  it('waits for as long as the endpoint asks, up to the next longer pause', () => {
    const asked = (retryAfterMs: number) => given({}).when({ ...refused, retryAfterMs }).lane.dueInMs;
    expect([asked(1_000), asked(60_000), asked(dayMs)]).toEqual([5_000, 60_000, 5 * minuteMs]);
  });

  it('is given up after its last attempt, where the endpoint has taken others since it failed first; the next is due', () => {
    const { delivery, lane } = given({ attempts: 7, failedIn: 3, hasNext: true }).when(refused);
    expect(delivery).toEqual({ state: 'given_up', attempts: 8, failedIn: 3 });
    expect(lane).toEqual({ dueInMs: 0, isProbing: false, downIn: null });
  });

  it('is never given up while the endpoint has taken nothing since: every 10 h it is attempted again', () => {
    const { delivery, lane } = given({ attempts: 12, failedIn: 4 }, failing).when(refused);
    expect(delivery).toEqual({ state: 'pending', attempts: 13, failedIn: 4 });
    expect(lane).toEqual({ dueInMs: 10 * hourMs, isProbing: false, downIn: 4 });
  });

  it('lets the next of its stream show whether it is the reason', () => {
    const { lane } = given({ attempts: 7, failedIn: 4, hasNext: true }, failing).when(refused);
    expect(lane).toEqual({ dueInMs: 0, isProbing: true, downIn: 4 });
  });

  it('remembers the period in which it failed first, so that it is woken once', () => {
    expect(given({}).when(refused)).toMatchObject({ delivery: { failedIn: 4 }, lane: { downIn: 4 } });
    expect(given({ attempts: 1, failedIn: 3 }).when(refused)).toMatchObject({
      delivery: { failedIn: 3 },
      lane: { downIn: null },
    });
  });
});

describe('a message behind one that is out of attempts', () => {
  const probe = { attempts: 0, failedIn: null, isProbe: true, hasNext: true };

  it('counts no attempt when it fails as well: the stream waits 10 h', () => {
    const { delivery, lane } = given(probe, failing).when(refused);
    expect(delivery).toEqual({ state: 'pending', attempts: 0, failedIn: null });
    expect(lane).toEqual({ dueInMs: 10 * hourMs, isProbing: false, downIn: 4 });
  });

  it('is delivered when it is taken: the first one has another attempt, after which it is given up', () => {
    const after = given(probe, failing).when(taken);
    expect(after).toMatchObject({ delivery: { state: 'delivered' }, lane: { dueInMs: 0, isProbing: false } });
    const last = given({ attempts: 8, failedIn: 4, hasNext: true }, after.health).when(refused);
    expect(last.delivery.state).toBe('given_up');
  });
});

describe('an endpoint', () => {
  it('fails from its first failure on', () => {
    expect(given({}).when(refused).health).toEqual({ failures: 1, failingSinceMs: nowMs, period: 4 });
    expect(given({}, failing).when(refused).health).toEqual({ ...failing, failures: 2 });
  });

  it('is asked once a second after ten failures in a row', () => {
    expect(given({}, { ...failing, failures: 8 }).when(refused).restMs).toBe(0);
    expect(given({}, { ...failing, failures: 9 }).when(refused).restMs).toBe(1_000);
  });

  it('is disabled by 410', () => expect(given({}).when({ ...refused, status: 410 }).disable).toBe('gone'));

  it('is disabled after five days of nothing but failures', () => {
    const since = (ms: number): Health => ({ failures: 40, failingSinceMs: nowMs - ms, period: 4 });
    expect(given({}, since(5 * dayMs - 1)).when(refused).disable).toBeNull();
    expect(given({}, since(5 * dayMs)).when(refused).disable).toBe('failing');
  });

  it('is told about itself once, and does not fail by that', () => {
    const { delivery, health, disable } = given({ isOwn: true }).when({ ...refused, status: 410 });
    expect([delivery.state, health, disable]).toEqual(['given_up', well, null]);
  });
});
