import {
  epochMsOf,
  instantOf,
  instantWords,
  joined,
  quoted,
  quotedExactly,
  spelled,
  unreachable,
  words,
  type Instant,
  type Words,
} from '@app/kernel';
import type { StoredCondition, UnresolvedCode, UnresolvedReason } from '../condition/condition';
import { conditionWords } from '../condition/condition-words';
import { symbolIn } from '../condition/token-symbols';
import type { AutomationCheck } from './automation-checks';
import { limitReached } from '../automation/occurrence/firing-policy';
import type { ActiveOccurrence, Automation } from '../automation/automation.state';
import { isFinished } from '../automation/finished';

/** One cause that keeps an automation from firing, and the change that would remove it. */
interface Hindrance {
  readonly because: Words;
  readonly wouldHaveToBe: Words;
}

/** Everything that decides whether an automation fires, as of one instant. */
export interface Present {
  readonly automation: Automation;
  /** The last check of the present activation; null where there was none. */
  readonly check: AutomationCheck | null;
  /** The due time that its timer holds; null where it has no timer. */
  readonly dueAt: Instant | null;
  /** An operator has paused the deployment's control `automations`. */
  readonly isControlPaused: boolean;
  /** An operator has paused the deployment's control `runs`: occurrences get no run. */
  readonly isRunsControlPaused: boolean;
  /** Whether the user's account is enabled. */
  readonly isUserActive: boolean;
  /** `full`: less than one run's reservation remains of a cap. */
  readonly budget: 'open' | 'frozen' | 'full';
  /** The newest occurrence if it was rejected; otherwise null. */
  readonly rejected: { readonly at: Instant; readonly reason: string | null } | null;
  readonly now: Instant;
}

const lateAfterMs = 60_000;

/**
 * The causes that keep an automation from firing, each with the change that removes it. The words are ours; names,
 * values and event types in them are quoted. Empty where nothing keeps it from firing at its next match; only the end
 * where it has ended.
 */
export function hindrancesOf(present: Present): readonly Hindrance[] {
  const { automation, now } = present;
  if (isFinished(automation, now)) return [endOf(automation, now)];
  return [
    ...switchedOff(present),
    ...ofUser(present),
    ...notEvaluated(present),
    ...undecidedOrFalse(present),
    ...refused(present),
    ...byPolicy(present),
  ];
}

function endOf({ state, definition, occurrences }: Automation, now: Instant): Hindrance {
  const wouldHaveToBe = words`Nothing revives it: its user creates another automation.`;
  if (state === 'archived') return { because: words`It is archived.`, wouldHaveToBe };
  const { firing } = definition;
  const limit = limitReached(firing, occurrences, now);
  if (limit === 'max_occurrences')
    return { because: words`It has fired ${occurrences} times, as often as it may.`, wouldHaveToBe };
  if (limit === 'end_at') return { because: words`Its end has passed.`, wouldHaveToBe };
  if (firing.trigger === 'once' && occurrences > 0)
    return { because: words`It fires once, and has fired.`, wouldHaveToBe };
  return { because: words`Its schedule has no due time left.`, wouldHaveToBe };
}

function switchedOff(present: Present): readonly Hindrance[] {
  const { automation, isControlPaused, isRunsControlPaused } = present;
  const { held, state } = automation;
  const wouldHaveToBe = words`An operator resumes the control.`;
  const ofDeployment = { because: words`The deployment's control "automations" is paused.`, wouldHaveToBe };
  const ofRuns = { because: words`The deployment's control "runs" is paused.`, wouldHaveToBe };
  const ofOperator = { because: words`An operator holds it.`, wouldHaveToBe: words`An operator releases it.` };
  const byUser = { because: words`It is paused.`, wouldHaveToBe: words`Its user resumes it.` };
  return [
    ...(isControlPaused ? [ofDeployment] : []),
    ...(isRunsControlPaused ? [ofRuns] : []),
    ...(held ? [ofOperator] : []),
    ...(state === 'paused' ? [byUser] : []),
  ];
}

const byBudget = {
  open: [],
  frozen: [
    { because: words`Its user is frozen: no run is started.`, wouldHaveToBe: words`An operator unfreezes the user.` },
  ],
  full: [
    {
      because: words`Its user's budget has no room for a run.`,
      wouldHaveToBe: words`A run of the user ends, the next day or month begins, or an operator raises the caps.`,
    },
  ],
} as const satisfies Record<Present['budget'], readonly Hindrance[]>;

function ofUser({ isUserActive, budget }: Present): readonly Hindrance[] {
  const disabled = { because: words`The account is disabled.`, wouldHaveToBe: words`An operator enables the account.` };
  return [...(isUserActive ? [] : [disabled]), ...byBudget[budget]];
}

function notEvaluated({ automation, check, dueAt, now }: Present): readonly Hindrance[] {
  const { epochAt, definition } = automation;
  const { wake } = definition;
  const since = words`since this activation began, at ${instantWords(epochAt)}`;
  if (wake.kind === 'event') {
    if (check !== null) return [];
    const types = joined(
      wake.types.map((type) => quotedExactly(type)),
      ' or ',
    );
    const because = words`No event was evaluated ${since}.`;
    return [{ because, wouldHaveToBe: words`An event of type ${types} arrives.` }];
  }
  if (dueAt === null) return [];
  const lateMs = epochMsOf(now) - epochMsOf(dueAt);
  if (lateMs > lateAfterMs) {
    const because = words`The evaluation that was due at ${instantWords(dueAt)} was not made.`;
    return [{ because, wouldHaveToBe: words`A worker makes it: are there workers, and do their timers run?` }];
  }
  const wouldHaveToBe = words`The evaluation at ${instantWords(dueAt)} comes.`;
  return check === null ? [{ because: words`It was not evaluated ${since}.`, wouldHaveToBe }] : [];
}

function undecidedOrFalse({ automation, check }: Present): readonly Hindrance[] {
  const { definition, symbols } = automation;
  const { condition } = definition;
  if (check === null || condition === null) return [];
  switch (check.condition) {
    case 'matched':
      return [];
    case 'unknown':
      return check.reasons.map((reason) => undecided(reason, condition));
    case 'not_matched': {
      const rule = conditionWords(condition, { symbolOf: symbolIn(symbols), quotedLengthMax: Infinity });
      const because = words`The condition did not hold at ${instantWords(check.at)}.`;
      return [{ because, wouldHaveToBe: words`At an evaluation this holds: ${rule}.` }];
    }
    default:
      return unreachable(check.condition);
  }
}

const unresolved = {
  missing_source: ['nothing was received of', 'Something is received of it'],
  unavailable: ['the provider could not be read for', 'The provider answers'],
  gap: ['samples are missing of', 'Its samples are taken again, one a minute'],
  stale: ['too old is the newest value of', 'A newer value of it arrives'],
  future: ['ahead of time is the value of', 'The clocks of its source and of this service agree'],
  missing_field: ['a field is missing in', 'The source sends the field, or the rule names one that it has'],
  invalid_value: ['values cannot be compared in', 'The rule compares values of one kind'],
  snapshot_skew: ['too far apart in time are the values of', 'Its sources are read at about the same time'],
} as const satisfies Record<UnresolvedCode, readonly [string, string]>;

function undecided({ code, binding }: UnresolvedReason, { bindings }: StoredCondition): Hindrance {
  const [because, wouldHaveToBe] = unresolved[code];
  const named = binding === undefined ? words`the rule` : words`the binding ${quotedExactly(binding)}`;
  const age = code === 'stale' ? bindings.find(({ name }) => name === binding)?.maxAgeSeconds : undefined;
  return {
    because: words`The condition could not be decided: ${because} ${named}.`,
    wouldHaveToBe: age === undefined ? words`${wouldHaveToBe}.` : words`${wouldHaveToBe}, at most ${age} seconds old.`,
  };
}

/** The reason of the newest rejection, such as a frozen budget: as long as it lasts, it rejects the next occurrence too. */
function refused({ rejected }: Present): readonly Hindrance[] {
  if (rejected === null) return [];
  const why = rejected.reason === null ? words`.` : words`: ${quoted(rejected.reason)}`;
  const because = words`The newest occurrence, of ${instantWords(rejected.at)}, was rejected${why}`;
  return [{ because, wouldHaveToBe: words`The reason is gone at the next match.` }];
}

function byPolicy(present: Present): readonly Hindrance[] {
  const [oldest] = present.automation.active;
  return [...spentEdge(present), ...resting(present), ...(oldest === undefined ? [] : [occupiedBy(oldest, present)])];
}

/** An edge that has fired, or that an obstacle kept from firing, does not fire again. */
function spentEdge({ automation: { definition, memory } }: Present): readonly Hindrance[] {
  if (definition.firing.trigger !== 'edge' || memory.lastKnown !== true) return [];
  if (definition.condition === null) {
    const because = words`It fires at the first evaluation of an activation alone, which is over.`;
    return [
      { because, wouldHaveToBe: words`A new activation begins: its user resumes it after a pause, or updates it.` },
    ];
  }
  const because = words`It fires when its condition begins to hold, and the condition held at the last evaluation that could be decided.`;
  return [{ because, wouldHaveToBe: words`The condition does not hold at one evaluation, and holds at a later one.` }];
}

function resting({ automation: { definition, memory }, now }: Present): readonly Hindrance[] {
  const { cooldownSeconds } = definition.firing;
  if (memory.lastAcceptedFor === null || cooldownSeconds === 0) return [];
  const untilMs = epochMsOf(memory.lastAcceptedFor) + cooldownSeconds * 1000;
  if (epochMsOf(now) >= untilMs) return [];
  const because = words`It rests for ${cooldownSeconds} seconds after the occurrence of ${instantWords(memory.lastAcceptedFor)}.`;
  return [{ because, wouldHaveToBe: words`It matches at ${instantWords(instantOf(untilMs))} or later.` }];
}

const meanwhile = {
  skip: 'other matches are skipped meanwhile',
  coalesce: 'other matches become one run after it',
  queue: 'other matches wait behind it',
} as const;

function occupiedBy({ delivery, forAt, runId, attempts, retryAt }: ActiveOccurrence, present: Present): Hindrance {
  const occurrence = words`The occurrence of ${instantWords(forAt)}`;
  const others = meanwhile[present.automation.definition.firing.overlap];
  switch (delivery) {
    case 'accepted': {
      const run = runId === null ? words`a run` : words`the run ${spelled(runId, 'uuid')}`;
      return {
        because: words`${occurrence} has ${run}, which has not ended; ${others}.`,
        wouldHaveToBe: words`That run ends.`,
      };
    }
    case 'deferred': {
      const next = retryAt === null ? words`` : words`; the next attempt is at ${instantWords(retryAt)}`;
      return {
        because: words`${occurrence} was refused a run ${attempts} times${next}; ${others}.`,
        wouldHaveToBe: words`The reason of that occurrence is gone at the next attempt.`,
      };
    }
    case 'pending':
    case 'admitting':
      return {
        because: words`${occurrence} waits for its run; ${others}.`,
        wouldHaveToBe: words`A worker starts that run.`,
      };
    default:
      return unreachable(delivery);
  }
}
