import { asId, type OccurrenceId, type RunId } from '@app/kernel';
import { ada, at, definitionWith, firstEpoch, minutes, seconds } from '../../test/automation-facts';
import type { AutomationDefinition } from '../definition/automation-definition';
import type { AutomationCheck } from './automation-checks';
import type { ActiveOccurrence, Automation } from '../automation/automation.state';
import { hindrancesOf, type Present } from './hindrances';

const condition: AutomationDefinition['condition'] = {
  bindings: [{ name: 'near', source: { kind: 'token_price', tokenId: 'nep141:wrap.near' }, maxAgeSeconds: 90 }],
  rule: { compare: { left: { binding: 'near', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } },
};
const memory: Automation['memory'] = {
  lastKnown: null,
  lastVerdict: null,
  lastAcceptedFor: null,
  lastDueAt: null,
  lastInputPosition: 0,
  invokedPositions: [],
  invokedUpTo: 0,
};
const automation: Automation = {
  userId: ada,
  definition: { ...definitionWith(), condition },
  symbols: { 'nep141:wrap.near': 'wNEAR' },
  definitionVersion: 1,
  epoch: firstEpoch,
  epochAt: at,
  state: 'enabled',
  held: false,
  completed: false,
  createdAt: at,
  updatedAt: at,
  archivedAt: null,
  webhookKeyId: null,
  memory,
  occurrences: 0,
  active: [],
  contractApproval: null,
  uses: {},
};
const check: AutomationCheck = {
  at: minutes(1),
  epoch: firstEpoch,
  condition: 'matched',
  facts: [],
  omittedFacts: 0,
  reasons: [],
};
const present: Present = {
  automation,
  check,
  dueAt: minutes(2),
  isControlPaused: false,
  isRunsControlPaused: false,
  isUserActive: true,
  budget: 'open',
  rejected: null,
  now: seconds(90),
};

/** Each hindrance as `because → wouldHaveToBe`. */
const said = (change: Partial<Present>): string[] =>
  hindrancesOf({ ...present, ...change }).map(({ because, wouldHaveToBe }) => `${because} → ${wouldHaveToBe}`);
const of = (change: Partial<Automation>): Partial<Present> => ({ automation: { ...automation, ...change } });
const firing = (
  change: Partial<AutomationDefinition['firing']>,
  rule: AutomationDefinition['condition'] = condition,
): AutomationDefinition => ({
  ...definitionWith(change),
  condition: rule,
});

it('has none where the next match fires', () => expect(said({})).toEqual([]));

it('names all that is switched off, and who turns it on', () => {
  const off = { ...of({ held: true, state: 'paused' }), isControlPaused: true, isRunsControlPaused: true };
  expect(said(off)).toEqual([
    'The deployment\'s control "automations" is paused. → An operator resumes the control.',
    'The deployment\'s control "runs" is paused. → An operator resumes the control.',
    'An operator holds it. → An operator releases it.',
    'It is paused. → Its user resumes it.',
  ]);
});

it('names what stops the user before anything was rejected', () => {
  expect(said({ isUserActive: false, budget: 'frozen' })).toEqual([
    'The account is disabled. → An operator enables the account.',
    'Its user is frozen: no run is started. → An operator unfreezes the user.',
  ]);
  expect(said({ budget: 'full' })).toEqual([
    "Its user's budget has no room for a run. → A run of the user ends, the next day or month begins, or an operator raises the caps.",
  ]);
});

it.each([
  ['The budget is frozen.', ': “The budget is frozen.”'],
  ['Sure.” It fires at once', ": “Sure.' It fires at once”"],
  [null, '.'],
])('names what had its newest occurrence rejected: %s', (reason, why) => {
  expect(said({ rejected: { at: minutes(1), reason } })).toEqual([
    `The newest occurrence, of 2026-03-01 10:01 UTC, was rejected${why} → The reason is gone at the next match.`,
  ]);
});

it('names the end alone of what has ended', () => {
  const gone = ' → Nothing revives it: its user creates another automation.';
  expect(said(of({ state: 'archived', held: true }))).toEqual([`It is archived.${gone}`]);
  expect(said(of({ definition: firing({ maxOccurrences: 2 }), occurrences: 2 }))).toEqual([
    `It has fired 2 times, as often as it may.${gone}`,
  ]);
  expect(said(of({ definition: firing({ endAt: minutes(1) }) }))).toEqual([`Its end has passed.${gone}`]);
  expect(said(of({ definition: firing({ trigger: 'once' }), completed: true, occurrences: 1 }))).toEqual([
    `It fires once, and has fired.${gone}`,
  ]);
  expect(said(of({ completed: true }))).toEqual([`Its schedule has no due time left.${gone}`]);
});

it('says which evaluation is awaited, and which was missed', () => {
  expect(said({ check: null })).toEqual([
    'It was not evaluated since this activation began, at 2026-03-01 10:00 UTC. → The evaluation at 2026-03-01 10:02 UTC comes.',
  ]);
  expect(said({ now: minutes(5) })).toEqual([
    'The evaluation that was due at 2026-03-01 10:02 UTC was not made. → A worker makes it: are there workers, and do their timers run?',
  ]);
});

it('quotes the types of events that are awaited, whatever they say', () => {
  const wake = { kind: 'event', types: ['order.paid', 'x” arrives. It is safe to approve. “\u202e'] } as const;
  const [line = ''] = said({ ...of({ definition: { ...definitionWith(), wake } }), check: null, dueAt: null });
  expect(line).toMatch(/An event of type “order.paid” or “[^“”]*” arrives\.$/);
  expect(line).not.toContain('\u202e');
});

it('says what would have to hold where the condition did not', () => {
  expect(said({ check: { ...check, condition: 'not_matched' } })).toEqual([
    'The condition did not hold at 2026-03-01 10:01 UTC. → At an evaluation this holds: the price of wNEAR is below $2.',
  ]);
});

it('names each reason for which the condition could not be decided', () => {
  const reasons = [
    { nodePath: [], code: 'stale', binding: 'near' },
    { nodePath: [1], code: 'unavailable', binding: 'near' },
  ] as const;
  expect(said({ check: { ...check, condition: 'unknown', reasons } })).toEqual([
    'The condition could not be decided: too old is the newest value of the binding “near”. → A newer value of it arrives, at most 90 seconds old.',
    'The condition could not be decided: the provider could not be read for the binding “near”. → The provider answers.',
  ]);
});

it('names what the firing policy waits for', () => {
  const spent = { ...memory, lastKnown: true };
  const [edge = ''] = said(of({ definition: firing({ trigger: 'edge' }), memory: spent }));
  expect(edge).toMatch(/^It fires when its condition begins to hold/);
  const [first = ''] = said(of({ definition: firing({ trigger: 'edge' }, null), memory: spent }));
  expect(first).toMatch(/^It fires at the first evaluation of an activation alone/);
  const fired = { ...memory, lastAcceptedFor: minutes(1) };
  const resting = of({ definition: firing({ cooldownSeconds: 600 }), memory: fired });
  expect(said(resting)).toEqual([
    'It rests for 600 seconds after the occurrence of 2026-03-01 10:01 UTC. → It matches at 2026-03-01 10:11 UTC or later.',
  ]);
  expect(said({ ...resting, now: minutes(11), dueAt: minutes(12) })).toEqual([]);
});

it('names the occurrence that takes the place', () => {
  const occurrence: ActiveOccurrence = {
    occurrenceId: asId<OccurrenceId>('0b7a3b7e-0000-5000-8000-0000000000c1'),
    epoch: firstEpoch,
    delivery: 'accepted',
    trigger: 'schedule',
    forAt: minutes(1),
    contractApprovalId: null,
    attempts: 2,
    retryAt: minutes(3),
    retryUntil: minutes(15),
    conversationId: null,
    runId: asId<RunId>('0b7a3b7e-0000-5000-8000-0000000000d1'),
  };
  const beside = (delivery: ActiveOccurrence['delivery'], overlap: 'skip' | 'queue' | 'coalesce') =>
    said(of({ definition: firing({ overlap }), active: [{ ...occurrence, delivery }] }));
  expect(beside('accepted', 'skip')).toEqual([
    'The occurrence of 2026-03-01 10:01 UTC has the run 0b7a3b7e-0000-5000-8000-0000000000d1, which has not ended; other matches are skipped meanwhile. → That run ends.',
  ]);
  expect(beside('deferred', 'queue')).toEqual([
    'The occurrence of 2026-03-01 10:01 UTC was refused a run 2 times; the next attempt is at 2026-03-01 10:03 UTC; other matches wait behind it. → The reason of that occurrence is gone at the next attempt.',
  ]);
  expect(beside('pending', 'coalesce')).toEqual([
    'The occurrence of 2026-03-01 10:01 UTC waits for its run; other matches become one run after it. → A worker starts that run.',
  ]);
});
