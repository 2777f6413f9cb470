import type { ApprovalEvent, Contract } from '@app/consent';
import {
  words,
  sentence,
  asId,
  epochMsOf,
  instantOf,
  type ApprovalId,
  type ConversationId,
  type InputId,
  type Instant,
  type JsonValue,
  type OccurrenceId,
  type Ours,
  type RunId,
  type ToolCallId,
  type UserId,
  type WalletId,
} from '@app/kernel';
import { instant } from '@app/testing/deciders';
import type { AutomationDefinition, FiringPolicy } from '../src/definition/automation-definition';
import type { ContractReview, CreateAutomation, RecordMatch } from '../src/automation/automation.commands';
import type {
  AutomationEvent,
  CompletionCause,
  OccurrenceEvent,
  PassedOver,
} from '../src/automation/automation.events';

type Run = Extract<OccurrenceEvent, { readonly type: 'occurrence.accepted' }>;

/** Facts for specifications of an automation: Ada's rule, which is evaluated every minute from ten o'clock on. */
export const at = instant('2026-03-01T10:00Z');
export const seconds = (count: number): Instant => instantOf(epochMsOf(at) + count * 1000);
export const minutes = (count: number): Instant => seconds(count * 60);

export const ada = asId<UserId>('0b7a3b7e-0000-5000-8000-000000000001');
export const eve = asId<UserId>('0b7a3b7e-0000-5000-8000-000000000666');
export const firstEpoch = '0b7a3b7e-0000-7000-8000-0000000000e1';
export const secondEpoch = '0b7a3b7e-0000-7000-8000-0000000000e2';

/** The provider's symbols of the rule's tokens. */
export const symbols = { 'nep141:usdc': 'USDC', 'nep141:wrap.near': 'wNEAR' };

export const policy: FiringPolicy = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 };

export const contract: Contract = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'swap',
      input: { pinned: { tokenId: 'nep141:usdc', decimals: 6 } },
      output: { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: '10000000' },
    },
  ],
  bounds: { maxUses: 3, usesPerOccurrence: 10, perUseUsd: '10.5', totalUsd: '25.2', notAfter: instant('2026-03-02') },
};

export function definitionWith(firing: Partial<FiringPolicy> = {}, asked?: Contract): AutomationDefinition {
  return {
    name: 'Cheap NEAR',
    prompt: 'swap 10 USDC to NEAR',
    conversation: 'new',
    condition: null,
    wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } },
    firing: { ...policy, ...firing },
    ...(asked === undefined ? {} : { contract: asked }),
  };
}

export const review: ContractReview = {
  approvalId: asId<ApprovalId>('0b7a3b7e-0000-7000-8000-0000000000a1'),
  automationId: '0b7a3b7e-0000-7000-8000-00000000000a',
  walletId: asId<WalletId>('0b7a3b7e-0000-7000-8000-000000000002'),
  fingerprint: 'sha256:reviewed',
  fingerprintVersion: 2,
  expiresAt: minutes(60),
  summary: words`Swap 10 USDC for NEAR.`,
  terms: [],
};

export function createWith(definition = definitionWith()): CreateAutomation {
  const asked = definition.contract === undefined ? null : review;
  return { type: 'CreateAutomation', at, userId: ada, definition, symbols, epoch: firstEpoch, review: asked };
}

export function createdWith(definition = definitionWith()): AutomationEvent {
  return { type: 'automation.created', at, userId: ada, definition, symbols, definitionVersion: 1, epoch: firstEpoch };
}

/** The creation of a rule with this firing policy. */
export const having = (firing: Partial<FiringPolicy>): AutomationEvent => createdWith(definitionWith(firing));

/** The opening of a contract's approval. */
export function openedWith(asked: ContractReview, definition: AutomationDefinition, when = at): ApprovalEvent {
  const { approvalId, automationId, walletId, fingerprint, fingerprintVersion, expiresAt, summary, terms } = asked;
  return {
    type: 'approval.opened',
    at: when,
    approvalId,
    kind: 'automation_contract',
    tool: 'automation_contract',
    fingerprint,
    fingerprintVersion,
    runId: null,
    expiresAt,
    userId: ada,
    runKey: null,
    walletId,
    toolCallId: null,
    automationId,
    input: JSON.parse(JSON.stringify(definition)) as JsonValue,
    contract: definition.contract ?? null,
    summary,
    terms,
  };
}

/** The due time of that minute, evaluated one second late. */
export function dueAt(minute: number, changed: Partial<RecordMatch> = {}): RecordMatch {
  const forAt = minutes(minute);
  return {
    type: 'RecordMatch',
    at: seconds(minute * 60 + 1),
    forAt,
    dueAt: forAt,
    epoch: firstEpoch,
    occurrenceId: occurrence(minute),
    trigger: 'schedule',
    input: null,
    verdict: 'true',
    tooLate: null,
    ...changed,
  };
}

/** A signal of that minute, at the position derived from it. */
export function signalAt(minute: number, changed: Partial<RecordMatch> = {}): RecordMatch {
  const input = { inputId: asId<InputId>(`input of ${minute}`), position: 100 + minute };
  return dueAt(minute, { dueAt: null, trigger: 'signal', input, ...changed });
}

/** An invocation of that minute. */
export const invoked = (minute: number): RecordMatch => signalAt(minute, { trigger: 'invoke' });

export const occurrence = (minute: number): OccurrenceId => asId<OccurrenceId>(`occurrence of ${minute}`);
export const runOf = (minute: number): Pick<Run, 'conversationId' | 'runId'> => ({
  conversationId: asId<ConversationId>(`conversation of ${minute}`),
  runId: asId<RunId>(`run of ${minute}`),
});
export const call = (number: number): ToolCallId => asId<ToolCallId>(`run/1/${number}`);

/** The occurrence of a due time or signal. */
export function arose({
  at: when,
  occurrenceId,
  epoch,
  trigger,
  forAt,
  dueAt: due,
  input,
}: RecordMatch): OccurrenceEvent {
  const [inputId, inputPosition] = [input?.inputId ?? null, input?.position ?? null];
  return {
    type: 'occurrence.arose',
    at: when,
    occurrenceId,
    epoch,
    trigger,
    forAt,
    dueAt: due,
    inputId,
    inputPosition,
  };
}

export function evaluated(minute: number, verdict: RecordMatch['verdict'], epoch = firstEpoch): AutomationEvent {
  return { type: 'automation.evaluated', at: seconds(minute * 60 + 1), epoch, verdict };
}

/** The admission of a minute's occurrence, which begins then and may be retried for a quarter of an hour. */
export function admitting(minute: number, when = seconds(minute * 60 + 1), attempt = 1): OccurrenceEvent {
  const retryUntil = seconds(minute * 60 + 1 + 900);
  return {
    type: 'occurrence.admitting',
    at: when,
    occurrenceId: occurrence(minute),
    ...runOf(minute),
    attempt,
    retryUntil,
  };
}

export function accepted(minute: number, when = seconds(minute * 60 + 2)): OccurrenceEvent {
  return { type: 'occurrence.accepted', at: when, occurrenceId: occurrence(minute), ...runOf(minute) };
}

/** The end of a minute's occurrence without a run. */
export function ended<const Text extends string>(
  type: 'rejected' | 'canceled' | 'skipped',
  minute: number,
  reason: Ours<Text>,
  when = seconds(minute * 60 + 1),
): OccurrenceEvent {
  return { type: `occurrence.${type}`, at: when, occurrenceId: occurrence(minute), reason: sentence(reason) };
}

/** The completion of the automation. */
export function completed(minute: number, because: CompletionCause, when = seconds(minute * 60 + 1)): AutomationEvent {
  return { type: 'automation.completed', at: when, because };
}

export function finished(minute: number, when: Instant): OccurrenceEvent {
  return { type: 'occurrence.finished', at: when, occurrenceId: occurrence(minute) };
}

/** From the evaluation of a minute to the run that results. */
export function running(minute: number): AutomationEvent[] {
  return [evaluated(minute, 'true'), arose(dueAt(minute)), admitting(minute), accepted(minute)];
}

/** A whole occurrence of a minute, to the end of its run half a minute later. */
export function ran(minute: number): AutomationEvent[] {
  return [...running(minute), finished(minute, seconds(minute * 60 + 30))];
}

/** The event of a signal of that minute that led to no occurrence. */
export const passedOver = (minute: number, outcome: PassedOver): AutomationEvent => {
  const { inputId, position: inputPosition } = signalAt(minute).input!;
  return { type: 'input.passed_over', at: seconds(minute * 60 + 1), inputId, inputPosition, outcome };
};
