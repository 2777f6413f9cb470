import type { Contract } from '@app/consent';
import { asId, words, type Instant, type OccurrenceId } from '@app/kernel';
import fc from 'fast-check';
import { openDefinition } from '../src/definition/automation-definition';
import type { AutomationDefinition, FiringPolicy } from '../src/definition/automation-definition';
import type { AutomationCommand, RecordMatch } from '../src/automation/automation.commands';
import { automationDecider } from '../src/automation/automation.decider';
import type { AutomationEvent } from '../src/automation/automation.events';
import { revisionOf, type AutomationState } from '../src/automation/automation.state';
import { ada, call, contract, definitionWith, minutes, review, runOf, seconds, symbols } from './automation-facts';

// Random histories of one automation.

/** One command of a history, and its result. */
export interface Step {
  readonly command: AutomationCommand;
  readonly before: AutomationState;
  /** Whether it was refused. */
  readonly refused: boolean;
  readonly events: readonly AutomationEvent[];
  readonly after: AutomationState;
}

/** A command that may depend on the state so far; a step's clock shows its number in half minutes. */
type Draft = (state: AutomationState, at: Instant, step: number) => AutomationCommand;

const small = (max: number) => fc.integer({ min: 1, max });

const firing: fc.Arbitrary<FiringPolicy> = fc.record(
  {
    trigger: fc.constantFrom('match' as const, 'edge' as const, 'once' as const),
    cooldownSeconds: fc.constantFrom(0, 90),
    overlap: fc.constantFrom('skip' as const, 'coalesce' as const, 'queue' as const),
    retryForSeconds: fc.constantFrom(0, 120),
    maxOccurrences: small(6),
    endAt: fc.constantFrom(minutes(8), minutes(30)),
  },
  { requiredKeys: ['trigger', 'cooldownSeconds', 'overlap', 'retryForSeconds'] },
);
const bounded: fc.Arbitrary<Contract> = fc
  .record({
    maxUses: small(3),
    ofOccurrence: small(2),
    perUse: small(3),
    total: small(6),
    endsAt: fc.constantFrom(minutes(10), minutes(40)),
  })
  .map(({ maxUses, ofOccurrence, perUse, total, endsAt }) => ({
    ...contract,
    bounds: {
      maxUses,
      usesPerOccurrence: ofOccurrence,
      perUseUsd: `${perUse}.5`,
      totalUsd: `${total}.25`,
      notAfter: endsAt,
    },
  }));
const definition: fc.Arbitrary<AutomationDefinition> = fc
  .tuple(firing, fc.option(bounded, { nil: undefined, freq: 4 }))
  .map(([policy, asked]) => definitionWith(policy, asked));

/** The review of that step's contract, with an approval id derived from the step. */
const reviewAt = (step: number) => ({
  ...review,
  approvalId: asId<typeof review.approvalId>(`approval ${step}`),
  expiresAt: minutes(6),
});
const epochAt = (step: number): string => `epoch ${step}`;
const present = (state: AutomationState): string => (state === null ? '' : revisionOf(state));

/** Pause and resume, hold and release. */
const toggles: readonly Draft[] = [
  (state, at, step) => {
    const by = { at, userId: ada, revision: present(state) };
    if (state?.state === 'paused') return { type: 'ResumeAutomation', ...by, epoch: epochAt(step) };
    return { type: 'PauseAutomation', ...by };
  },
  (state, at) => {
    return { type: state?.held === true ? 'ReleaseAutomation' : 'HoldAutomation', at, reason: 'odd' };
  },
];
const updateTo = (
  changed: AutomationDefinition,
  state: AutomationState,
  at: Instant,
  step: number,
): AutomationCommand => {
  const by = { at, userId: ada, revision: present(state) };
  return {
    type: 'UpdateAutomation',
    ...by,
    definition: changed,
    symbols,
    epoch: epochAt(step),
    review: reviewAt(step),
  };
};
const update = definition.map<Draft>((changed) => (state, at, step) => updateTo(changed, state, at, step));
/** The only change that leaves the contract's approval as it is. */
const rename: Draft = (state, at, step) => {
  const same = (state && openDefinition(state.definition)) ?? definitionWith();
  return updateTo({ ...same, name: `Name ${step}` }, state, at, step);
};
const owner = fc.oneof(fc.constantFrom(...toggles), fc.constantFrom(...toggles), update, fc.constant(rename));
const archive: Draft = (_, at) => ({ type: 'ArchiveAutomation', at, userId: ada });

/**
 * For the present minute or one just before, so that evaluations are late or repeated. An automation that is paused or
 * held is mostly started again instead, so that most of a history is about an automation that fires.
 */
const match: fc.Arbitrary<Draft> = fc
  .record({
    trigger: fc.constantFrom('schedule' as const, 'schedule' as const, 'signal' as const, 'invoke' as const),
    behind: fc.constantFrom(0, 0, 0, 0, 1, 2),
    verdict: fc.constantFrom('true' as const, 'true' as const, 'true' as const, 'false' as const, 'unknown' as const),
    tooLate: fc.constantFrom(null, null, null, null, null, words`Too late.`),
    stale: fc.constantFrom(false, false, false, false, true),
  })
  .map(({ trigger, behind, verdict, tooLate, stale }) => (state, at, step) => {
    const idle = toggles.find((_, index) => (index === 0 ? state?.state === 'paused' : state?.held === true));
    if (idle !== undefined && verdict === 'true') return idle(state, at, step);
    const minute = Math.floor(step / 2) - behind;
    const epoch = stale ? 'another' : (state?.epoch ?? '');
    const forAt = minutes(minute);
    const known = { type: 'RecordMatch', at, epoch, forAt, trigger, verdict } as const;
    if (trigger === 'schedule')
      return { ...known, occurrenceId: asId(`due ${minute} ${epoch}`), dueAt: forAt, input: null, tooLate };
    const position = minute * 2 + (trigger === 'invoke' ? 1 : 0);
    const input = { inputId: asId<NonNullable<RecordMatch['input']>['inputId']>(`${position}`), position };
    return { ...known, occurrenceId: asId(`input ${position}`), dueAt: null, input, tooLate: null };
  });

const passing = small(6).map<Draft>((minute) => (_, at) => {
  return { type: 'PassOverInput', at, inputId: asId(`${minute * 2}`), position: minute * 2, outcome: 'stale' };
});

/** For the active occurrence at that index, or for one that never existed. */
const ofActive = (draft: (occurrenceId: OccurrenceId, at: Instant, number: number) => AutomationCommand) =>
  fc.tuple(fc.constantFrom(0, 0, 0, 0, 1, 2, 3), small(4)).map<Draft>(([place, number]) => (state, at) => {
    return draft(state?.active[place]?.occurrenceId ?? asId('none'), at, number);
  });
const admission = fc.oneof(
  ofActive((occurrenceId, at, number) => ({ type: 'BeginAdmission', at, occurrenceId, ...runOf(number) })),
  ofActive((occurrenceId, at, number) => ({ type: 'BeginAdmission', at, occurrenceId, ...runOf(number) })),
  ofActive((occurrenceId, at, number) => ({ type: 'AcceptOccurrence', at, occurrenceId, ...runOf(number) })),
  ofActive((occurrenceId, at, number) => ({ type: 'AcceptOccurrence', at, occurrenceId, ...runOf(number) })),
  ofActive((occurrenceId, at, number) => {
    return { type: 'DeferOccurrence', at, occurrenceId, reason: words`Full.`, retryAt: minutes(number * 8) };
  }),
  ofActive((occurrenceId, at) => ({ type: 'RejectOccurrence', at, occurrenceId, reason: words`No.` })),
  ofActive((occurrenceId, at) => ({ type: 'FinishOccurrence', at, occurrenceId })),
  ofActive((occurrenceId, at) => ({ type: 'FinishOccurrence', at, occurrenceId })),
);

const use: fc.Arbitrary<Draft> = fc.tuple(small(4), small(6)).map(([number, halves]) => (state, at) => {
  const contractApprovalId = state?.contractApproval?.approvalId ?? asId<typeof review.approvalId>('none');
  const usd = `${Math.floor(halves / 2)}.${halves % 2 === 0 ? '0' : '5'}`;
  const runId = state?.active.find((one) => one.runId !== null)?.runId ?? runOf(number).runId;
  return {
    type: 'UseContract',
    at,
    toolCallId: call(number),
    runId,
    approvalId: asId('call'),
    contractApprovalId,
    usd,
  };
});
const consent: fc.Arbitrary<Draft> = fc.oneof(
  use,
  use,
  use,
  small(4).map<Draft>((number) => (state, at) => {
    const [used] = Object.keys(state?.uses ?? {});
    return { type: 'ReturnContractUse', at, toolCallId: used === undefined ? call(number) : asId(used) };
  }),
  fc
    .constantFrom('approved' as const, 'approved' as const, 'approved' as const, 'denied' as const)
    .map<Draft>((status) => (state, at) => {
      const verdict = status === 'approved' ? { status } : { status, denialReason: null };
      const approvalId = state?.contractApproval?.approvalId ?? asId<typeof review.approvalId>('none');
      return { type: 'DecideApproval', at, approvalId, verdict, decidedBy: 'user' };
    }),
  fc.constant<Draft>((state, at) => {
    return { type: 'ExpireApproval', at, approvalId: state?.contractApproval?.approvalId ?? asId('none') };
  }),
);

const draft = fc.oneof(
  { weight: 2, arbitrary: owner },
  { weight: 14, arbitrary: match },
  { weight: 1, arbitrary: passing },
  { weight: 24, arbitrary: admission },
  { weight: 14, arbitrary: consent },
);

/** Begins with the creation; each step is half a minute after the previous one; the last step may be an archive. */
export const history: fc.Arbitrary<readonly Step[]> = fc
  .tuple(
    definition,
    fc.array(draft, { minLength: 20, maxLength: 60, size: 'max' }),
    fc.boolean(),
    fc.array(draft, { maxLength: 6 }),
  )
  .map(([first, drafts, archives, more]) => {
    const create: Draft = (_, at) => {
      return {
        type: 'CreateAutomation',
        at,
        userId: ada,
        definition: first,
        symbols,
        epoch: epochAt(0),
        review: reviewAt(0),
      };
    };
    return play([create, ...drafts, ...(archives ? [archive, ...more] : [])]);
  });

function play(drafts: readonly Draft[]): Step[] {
  let before: AutomationState = null;
  return drafts.map((next, step) => {
    const command = next(before, seconds(step * 30), step);
    const decision = automationDecider.decide(command, before);
    const events = decision.accepted ? decision.events : [];
    const after: AutomationState = events.reduce(automationDecider.evolve, before);
    const played = { command, before, refused: !decision.accepted, events, after };
    before = after;
    return played;
  });
}
