import type { AttemptFailure } from './delivery';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Pauses between attempts, by the service clock. Source: the owner's decisions, section "Telling partners". */
const pausesMs = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs] as const;
const longestPauseMs = 10 * hourMs;
/** The first attempt, and one after each pause. */
export const attemptsMax = pausesMs.length + 1;
/** Fraction by which a pause may be longer or shorter. */
const jitter = 0.1;
/** An endpoint that fails every attempt for this long is disabled. */
const failingMaxMs = 5 * 24 * hourMs;
/** After this many failures in a row, an endpoint gets one attempt per second. Real time. */
const restingAfterFailures = 10;
const restMs = secondMs;

/** The recent failures of an endpoint. */
export interface Health {
  /** Failures in a row, up to now. */
  readonly failures: number;
  /** Time of the first of these failures. */
  readonly failingSinceMs: number | null;
  /** How often it has recovered after failures. */
  readonly period: number;
}

/** A delivery that is attempted, before the outcome. */
export interface Attempted {
  /** Number of attempts before this one. */
  readonly attempts: number;
  /** The period in which it first failed; null: it has not failed. */
  readonly failedIn: number | null;
  /** A message about the endpoint itself: attempted once, and a failure has no consequence for the endpoint. */
  readonly isOwn: boolean;
  /** The second of its stream, attempted because the first is out of attempts: it shows whether the first itself is the cause. */
  readonly isProbe: boolean;
  /** Whether others of its stream wait behind it. */
  readonly hasNext: boolean;
}

export type Outcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'failed';
      readonly failure: AttemptFailure;
      readonly status: number | null;
      /** The pause that the endpoint asked for. */
      readonly retryAfterMs: number | null;
    };

/** The changes recorded after an outcome. */
export interface Consequence {
  readonly delivery: {
    readonly state: 'pending' | 'delivered' | 'given_up';
    readonly attempts: number;
    readonly failedIn: number | null;
  };
  readonly lane: {
    /** From now on, by the service clock. */
    readonly dueInMs: number;
    readonly isProbing: boolean;
    /** The period during which the endpoint has accepted nothing since the lane's head failed; the lane is woken when that period ends. */
    readonly downIn: number | null;
  };
  readonly health: Health;
  /** The endpoint accepts messages again: lanes that wait since before become due. */
  readonly recovered: boolean;
  /** No attempt is made at the endpoint for this long, in real time. */
  readonly restMs: number;
  readonly disable: 'gone' | 'failing' | null;
}

/** The retry policy: the consequence of an outcome. @param random from 0 up to 1, for the jitter */
export function applyOutcome(
  attempted: Attempted,
  health: Health,
  outcome: Outcome,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): Consequence {
  if (outcome.kind === 'delivered') return afterSuccess(attempted, health);
  return attempted.isOwn ? ownFailure(attempted, health) : afterFailure(attempted, health, outcome, { nowMs, random });
}

function afterFailure(
  attempted: Attempted,
  health: Health,
  outcome: Extract<Outcome, { readonly kind: 'failed' }>,
  { nowMs, random }: { readonly nowMs: number; readonly random: number },
): Consequence {
  const failing = { ...health, failures: health.failures + 1, failingSinceMs: health.failingSinceMs ?? nowMs };
  const { failedIn, attempts } = counted(attempted, health);
  const isDown = attempted.isProbe || failedIn === health.period;
  const isOver = attempts >= attemptsMax && !attempted.isProbe;
  const isNextDue = isOver && (!isDown || attempted.hasNext);
  const made = attempted.isProbe ? attemptsMax : attempts;
  return {
    delivery: { state: isOver && !isDown ? 'given_up' : 'pending', attempts, failedIn },
    lane: {
      dueInMs: isNextDue ? 0 : Math.round(pauseMs(made, outcome.retryAfterMs, random)),
      isProbing: isOver && isDown && attempted.hasNext,
      downIn: isDown ? health.period : null,
    },
    health: failing,
    recovered: false,
    restMs: failing.failures < restingAfterFailures ? 0 : restMs,
    disable: disabling(outcome.status, nowMs - failing.failingSinceMs),
  };
}

/** The endpoint goes on: whatever waits in the lane is due. */
const onward = { lane: { dueInMs: 0, isProbing: false, downIn: null }, restMs: 0, disable: null } as const;

function afterSuccess({ attempts, failedIn }: Attempted, health: Health): Consequence {
  const recovered = health.failures > 0;
  return {
    ...onward,
    delivery: { state: 'delivered', attempts: attempts + 1, failedIn },
    health: recovered ? { failures: 0, failingSinceMs: null, period: health.period + 1 } : health,
    recovered,
  };
}

function ownFailure({ attempts, failedIn }: Attempted, health: Health): Consequence {
  return { ...onward, delivery: { state: 'given_up', attempts: attempts + 1, failedIn }, health, recovered: false };
}

/** A probe does not count as an attempt of its delivery. */
function counted({ isProbe, attempts, failedIn }: Attempted, { period }: Health) {
  return isProbe ? { attempts, failedIn } : { attempts: attempts + 1, failedIn: failedIn ?? period };
}

/** @param attempts made so far, from 1 */
function pauseMs(attempts: number, retryAfterMs: number | null, random: number): number {
  const usual = (pausesMs[attempts - 1] ?? longestPauseMs) * (1 - jitter + 2 * jitter * random);
  const longer = pausesMs[attempts] ?? longestPauseMs;
  return Math.max(usual, Math.min(retryAfterMs ?? 0, longer));
}

function disabling(status: number | null, failingForMs: number): 'gone' | 'failing' | null {
  if (status === 410) return 'gone';
  return failingForMs >= failingMaxMs ? 'failing' : null;
}
