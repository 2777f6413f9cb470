import type { AttemptFailure } from './delivery';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Between one attempt and the next, by the service clock. Source: the owner's decisions, section "Telling partners". */
const pausesMs = [5 * secondMs, 5 * minuteMs, 30 * minuteMs, 2 * hourMs, 5 * hourMs, 10 * hourMs, 10 * hourMs] as const;
const longestPauseMs = 10 * hourMs;
/** The first one, and one after each pause. */
export const attemptsMax = pausesMs.length + 1;
/** So much longer or shorter a pause may be. */
const jitter = 0.1;
/** An endpoint that takes nothing for so long, though it is asked, is disabled. */
const failingMaxMs = 5 * 24 * hourMs;
/** From so many failures in a row on, an endpoint is asked once a second. Real time. */
const restingAfterFailures = 10;
const restMs = secondMs;

/** What an endpoint has answered lately. */
export interface Health {
  /** In a row, up to now. */
  readonly failures: number;
  /** When the first of these was. */
  readonly failingSinceMs: number | null;
  /** How often it has taken something again after failures. */
  readonly period: number;
}

/** What was attempted, before its outcome. */
export interface Attempted {
  /** Attempts before this one. */
  readonly attempts: number;
  /** The period in which it failed first; null: it has not failed. */
  readonly failedIn: number | null;
  /** It is about the endpoint itself: attempted once, and nothing follows for the endpoint from a failure. */
  readonly isOwn: boolean;
  /** It is not the first of its stream: that one is out of attempts, and this one shows whether it is the reason. */
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
      /** The endpoint has asked for so long a pause. */
      readonly retryAfterMs: number | null;
    };

/** What is recorded of an outcome. */
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
    /** The period in which the endpoint has taken nothing since its head failed: its lanes are woken when that ends. */
    readonly downIn: number | null;
  };
  readonly health: Health;
  /** It takes something again: lanes that wait since before are due. */
  readonly recovered: boolean;
  /** Nobody asks it before so long has passed, in real time. */
  readonly restMs: number;
  readonly disable: 'gone' | 'failing' | null;
}

/** @param random from 0 up to 1, for the jitter */
export function whatFollows(
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

function afterSuccess({ attempts, failedIn }: Attempted, health: Health): Consequence {
  const recovered = health.failures > 0;
  return {
    delivery: { state: 'delivered', attempts: attempts + 1, failedIn },
    lane: { dueInMs: 0, isProbing: false, downIn: null },
    health: recovered ? { failures: 0, failingSinceMs: null, period: health.period + 1 } : health,
    recovered,
    restMs: 0,
    disable: null,
  };
}

function ownFailure({ attempts, failedIn }: Attempted, health: Health): Consequence {
  return {
    delivery: { state: 'given_up', attempts: attempts + 1, failedIn },
    lane: { dueInMs: 0, isProbing: false, downIn: null },
    health,
    recovered: false,
    restMs: 0,
    disable: null,
  };
}

/** An attempt behind the first of a stream is none of its own. */
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
