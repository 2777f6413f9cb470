import { Unavailable, unreachable } from '@app/kernel';
import type { Hold } from './authority-uses';
import { beyondBounds, movedUsdWith } from '../operation/submission/moved-worth';
import type { OperationFailure } from '../provider/submission';
import { nextStep, type Learned, type Step, type Wait } from './operation.process';
import { isUnderWay, type OperationState } from '../operation/operation.state';
import { withProbe, type OperationPorts } from './operation-ports';
import { planSubmission } from './plan-submission';
import { SessionRejected } from '../provider/wallet-provider';

/** Maximum steps of one drive; a contract has at most 16 actions of a few steps. The timer resumes after that. */
const stepsMax = 200;

export type Driven =
  /** No such operation exists, or it has not been used yet. */
  | { readonly do: 'not_begun' }
  | { readonly do: 'over' }
  /** `progressed`: this drive recorded something. */
  | (Wait & { readonly progressed: boolean });

/**
 * Drives an operation as far as possible now. Can be interrupted anywhere and run concurrently: a repeated send has the
 * same bytes, and a decision on stale state appends nothing. Never throws because the provider is unavailable.
 *
 * @param patient whether to wait for money that other operations may be using; otherwise the action fails without it
 * @param begun the operation as this process's own append has just left it; otherwise it is read
 * @throws Unavailable when one of the stores does not answer
 */
export async function driveOperation(
  world: OperationPorts,
  patient: boolean,
  begun: OperationState | null = null,
): Promise<Driven> {
  let learned: Learned = { kind: 'nothing' };
  let progressed = false;
  /** The state after the last step; null if that step recorded nothing, because other drivers may have appended since. */
  let left = begun;
  const recording: OperationPorts = {
    ...world,
    record: async (command) => {
      const recorded = await world.record(command);
      progressed ||= recorded.appended;
      left = recorded.state;
      return recorded;
    },
  };
  for (let steps = 0; steps < stepsMax; steps += 1) {
    const state: OperationState | null = left ?? (await world.fold());
    left = null;
    const step = nextStep(state, world.now(), learned);
    if (state === null || step.do === 'nothing') return { do: hasEnded(state) ? 'over' : 'not_begun' };
    if (step.do === 'wait') return { ...step, progressed };
    learned = await takeStep(recording, state, step, patient);
  }
  return { do: 'wait', until: null, noLaterThan: null, progressed };
}

function hasEnded(state: OperationState | null): boolean {
  return state !== null && state.status !== 'prepared' && !isUnderWay(state);
}

const nothing: Learned = { kind: 'nothing' };
const aWhile: Learned = { kind: 'wait', until: null };

type Doable = Exclude<Step, { readonly do: 'nothing' | 'wait' }>;

/** Takes a step and returns what was learned beyond what the stream says. */
async function takeStep(
  world: OperationPorts,
  state: OperationState,
  step: Doable,
  patient: boolean,
): Promise<Learned> {
  try {
    switch (step.do) {
      case 'plan':
        return await plan(world, state, step, patient);
      case 'send':
        return await send(world, state, step);
      case 'ask':
        return await ask(world, state, step);
      case 'plan_revocation':
        return await planRevocation(world, state, step);
      case 'revoke':
        return await revoke(world, state, step);
      case 'give_up':
        return await giveUp(world, step, step.failure);
      case 'fail': {
        const { index, key, failure } = step;
        const revocationKnown = isRevocationKnown(state, index);
        await world.record({ type: 'RecordFailure', at: world.now(), index, key, revocationKnown, failure });
        return nothing;
      }
      default:
        return unreachable(step);
    }
  } catch (error) {
    if (error instanceof SessionRejected) await world.sessionRejected(state);
    else if (!(error instanceof Unavailable) || error.dependency !== 'wallet provider') throw error;
    return aWhile;
  }
}

type StepTo<Do extends Step['do']> = Extract<Step, { readonly do: Do }>;

/** Journals the submission of the current action, once its worth is reserved within the bounds agreed to. */
async function plan(
  world: OperationPorts,
  state: OperationState,
  step: StepTo<'plan'>,
  patient: boolean,
): Promise<Learned> {
  const { index } = step;
  const planned = await planSubmission(world, state, step, patient);
  if (planned === null) return aWhile;
  const key = state.actions[index]?.submission?.key ?? null;
  if (!planned.ok) return giveUp(world, { index, key }, planned.failure);
  const { submission, worthUsd } = planned;
  const hold = await holdWorth(world, state, worthUsd);
  if (hold === 'suspended') return aWhile;
  if (hold === 'exceeded') return giveUp(world, { index, key }, beyondBounds);
  const journaled = await world.record({ type: 'JournalSubmission', at: world.now(), index, submission, worthUsd });
  return journaled.appended ? { kind: 'journaled', key: submission.key } : nothing;
}

/** Checks what an automation's contract has left; the decider checks what its user approved against the terms. */
async function holdWorth(world: OperationPorts, state: OperationState, worthUsd: string | null): Promise<Hold> {
  if (state.terms.decidedBy === 'user') return 'held';
  const usd = movedUsdWith(state, worthUsd);
  return usd === null ? 'exceeded' : world.hold(state, usd);
}

async function send(
  world: OperationPorts,
  state: OperationState,
  { index, submission }: StepTo<'send'>,
): Promise<Learned> {
  const wallet = await world.wallet(state);
  if (wallet.status !== 'active') return aWhile;
  const submitted = await withProbe(world, () => world.provider.submit(wallet, submission));
  const { key } = submission;
  const of = { at: world.now(), index, key };
  switch (submitted.kind) {
    case 'accepted': {
      const { providerReference, checkAt } = submitted;
      const revocationKnown = isRevocationKnown(state, index);
      await world.record({ type: 'RecordAcceptance', ...of, revocationKnown, providerReference });
      return { kind: 'wait', until: checkAt };
    }
    case 'rejected':
      return giveUp(world, of, submitted.failure);
    case 'refused':
      await world.record({ type: 'RecordRefusal', ...of, failure: submitted.failure });
      return aWhile;
    default:
      return unreachable(submitted);
  }
}

async function planRevocation(
  world: OperationPorts,
  state: OperationState,
  { index, submission }: StepTo<'plan_revocation'>,
): Promise<Learned> {
  const wallet = await world.wallet(state);
  if (wallet.status !== 'active') return aWhile;
  const revocation = (await world.provider.revocations?.plan(wallet, submission)) ?? null;
  if (revocation === null) return aWhile;
  const { key } = submission;
  const journaled = await world.record({ type: 'JournalRevocation', at: world.now(), index, key, revocation });
  return journaled.appended ? { kind: 'revocation_journaled', key } : nothing;
}

async function revoke(
  world: OperationPorts,
  state: OperationState,
  { revocation }: StepTo<'revoke'>,
): Promise<Learned> {
  const wallet = await world.wallet(state);
  if (wallet.status !== 'active') return aWhile;
  await withProbe(world, async () => world.provider.revocations?.send(wallet, revocation));
  return aWhile;
}

async function ask(
  world: OperationPorts,
  state: OperationState,
  { index, submission }: StepTo<'ask'>,
): Promise<Learned> {
  const wallet = await world.wallet(state);
  const revocation = state.actions[index]?.revocation ?? null;
  const settlement = await withProbe(world, () => world.provider.settlement(wallet, submission, revocation));
  const { key } = submission;
  const of = { at: world.now(), index, key, revocationKnown: revocation !== null };
  switch (settlement.kind) {
    case 'pending':
      await world.record({ type: 'RecordAcceptance', ...of, providerReference: settlement.providerReference });
      return { kind: 'wait', until: settlement.checkAt };
    case 'settled':
    case 'refunded': {
      const { providerReference, output, returned } = settlement;
      const type = settlement.kind === 'settled' ? 'RecordSettled' : 'RecordRefunded';
      await world.record({ type, ...of, providerReference, output, returned });
      return nothing;
    }
    case 'failed':
      await world.record({ type: 'RecordFailure', ...of, failure: settlement.failure });
      return nothing;
    case 'never_accepted':
      return { kind: 'never_accepted', key, isFinal: settlement.isFinal };
    case 'unknown':
      await world.record({ type: 'RecordUnresolved', ...of });
      return aWhile;
    default:
      return unreachable(settlement);
  }
}

function isRevocationKnown({ actions }: OperationState, index: number): boolean {
  return (actions[index]?.revocation ?? null) !== null;
}

async function giveUp(
  world: OperationPorts,
  { index, key }: { readonly index: number; readonly key: string | null },
  failure: OperationFailure,
): Promise<Learned> {
  await world.record({ type: 'GiveUp', at: world.now(), index, key, failure });
  return nothing;
}
