import { approvalMembers, type ApprovalEvent } from '@app/consent';
import type {
  ApprovalId,
  ConversationId,
  InputId,
  Instant,
  MarksOf,
  OccurrenceId,
  OccurrenceTrigger,
  RunId,
  ToolCallId,
  UserId,
  Words,
} from '@app/kernel';
import type { StoredDefinition } from '../definition/automation-definition';
import type { Verdict } from '../condition/condition';
import type { TokenSymbols } from '../condition/token-symbols';

/** The facts of one automation, in stream `automation-<automationId>`. */
export type AutomationEvent =
  AutomationLifeEvent | OccurrenceEvent | InputPassedOver | ContractUseEvent | ContractSuperseded | ApprovalEvent;

export type AutomationLifeEvent =
  | (Version & { readonly type: 'automation.created'; readonly at: Instant; readonly userId: UserId })
  | (Version & { readonly type: 'automation.updated'; readonly at: Instant })
  | { readonly type: 'automation.paused'; readonly at: Instant }
  | { readonly type: 'automation.resumed'; readonly at: Instant; readonly epoch: string }
  | { readonly type: 'automation.archived'; readonly at: Instant }
  /** By an operator, as is the release. */
  | { readonly type: 'automation.held'; readonly at: Instant; readonly reason: string }
  | { readonly type: 'automation.released'; readonly at: Instant; readonly reason: string }
  /** It is completed for good: nothing fires any more. */
  | { readonly type: 'automation.completed'; readonly at: Instant; readonly because: CompletionCause }
  /** A new webhook key replaces the old one; the sealed secret is in a table of its own. */
  | { readonly type: 'automation.webhook_rotated'; readonly at: Instant; readonly keyId: string }
  /** Recorded only when the verdict differs from the last recorded one, or an occurrence arises. */
  | { readonly type: 'automation.evaluated'; readonly at: Instant; readonly epoch: string; readonly verdict: Verdict };

interface Version {
  readonly definition: StoredDefinition;
  /** The provider's symbols of the tokens that the definition names. */
  readonly symbols: TokenSymbols;
  /** Counts from 1. */
  readonly definitionVersion: number;
  /** A UUID of the activation that begins here. Together with the version it is the revision. */
  readonly epoch: string;
}

export type CompletionCause = 'once' | 'max_occurrences' | 'end_at' | 'schedule_over';

export type OccurrenceEvent =
  /** The occurrence exists and is pending. */
  | (OfOccurrence<'occurrence.arose'> & {
      readonly epoch: string;
      readonly trigger: OccurrenceTrigger;
      /** Its due time, or when its input was recorded. */
      readonly forAt: Instant;
      readonly dueAt: Instant | null;
      readonly inputId: InputId | null;
      /** Position of the input in the store: inputs are handled in this order. */
      readonly inputPosition: number | null;
    })
  /** Its admission has begun: the outcome will be recorded, even if the automation changes meanwhile. */
  | (OfOccurrence<'occurrence.admitting'> & {
      readonly conversationId: ConversationId;
      readonly runId: RunId;
      /** Counts from 1. */
      readonly attempt: number;
      /**
       * A failed admission is tried again until then; set by the first attempt and kept by later ones, so that time in
       * the queue does not count.
       */
      readonly retryUntil: Instant;
    })
  | (OfOccurrence<'occurrence.deferred'> & { readonly reason: Words; readonly retryAt: Instant })
  | (OfOccurrence<'occurrence.accepted'> & { readonly conversationId: ConversationId; readonly runId: RunId })
  | (OfOccurrence<'occurrence.rejected'> & { readonly reason: Words })
  | (OfOccurrence<'occurrence.canceled'> & { readonly reason: Words })
  | (OfOccurrence<'occurrence.skipped'> & { readonly reason: Words })
  | (OfOccurrence<'occurrence.coalesced'> & { readonly into: OccurrenceId })
  /** The run of an accepted occurrence has ended: it is no longer active. */
  | OfOccurrence<'occurrence.finished'>;

interface OfOccurrence<Type extends string> {
  readonly type: Type;
  readonly at: Instant;
  readonly occurrenceId: OccurrenceId;
}

/** The reasons why an input led to no occurrence, a closed set: `automations.input` shows them. */
export const passedOvers = [
  'not_matched',
  'cooldown',
  'unknown',
  'type_not_awaited',
  'stale',
  'paused',
  'rejected',
] as const;
export type PassedOver = (typeof passedOvers)[number];

/** An input that led to no occurrence, and why; an invocation always has one. */
export interface InputPassedOver {
  readonly type: 'input.passed_over';
  readonly at: Instant;
  readonly inputId: InputId;
  /** Position of the input in the store. */
  readonly inputPosition: number;
  readonly outcome: PassedOver;
}

/** Uses of the approved contract, counted and summed before anything is executed. */
export type ContractUseEvent =
  | {
      readonly type: 'contract.used';
      readonly at: Instant;
      /** The tool call that uses the contract: once, however often the call asks. */
      readonly toolCallId: ToolCallId;
      /** The approval that is opened and decided for the call, and from which the operation results. */
      readonly approvalId: ApprovalId;
      /** The call's worth in US dollars at that instant's prices, rounded up: a decimal text. */
      readonly usd: string;
      /** The occurrence whose run makes the call; null in events of version 1. */
      readonly occurrence: OccurrenceId | null;
    }
  /** The counted amount grows before its operation moves more than was expected, because of another price or a deposit. */
  | (OfUse<'contract.use_raised'> & { readonly usd: string })
  /** The operation is over: from here on the use counts the amount that it moved. */
  | (OfUse<'contract.use_settled'> & { readonly usd: string })
  /** The operation never submitted anything. */
  | OfUse<'contract.use_returned'>;

interface OfUse<Type extends string> {
  readonly type: Type;
  readonly at: Instant;
  /** The tool call that used the contract. */
  readonly toolCallId: ToolCallId;
}

/** The user's approval of the contract is no longer in force: the rule was changed or archived. The approval keeps its decision. */
export interface ContractSuperseded {
  readonly type: 'contract.superseded';
  readonly at: Instant;
  readonly approvalId: ApprovalId;
}

const version = {
  definition: {
    name: 'personal',
    prompt: 'personal',
    profile: 'personal',
    conversation: 'clear',
    wake: 'clear',
    condition: { bindings: 'clear', rule: 'personal', skewSeconds: 'clear' },
    firing: 'clear',
    contract: 'clear',
  },
  symbols: 'clear',
  definitionVersion: 'clear',
  epoch: 'clear',
} as const;
const admission = { occurrenceId: 'clear', conversationId: 'clear', runId: 'clear' } as const;
const because = { occurrenceId: 'clear', reason: 'clear' } as const;

/**
 * An automation's name, task and profile are its user's words, and the rule of its condition may hold some: constants to compare an event
 * with. What is left is clear: bindings name their sources by tokens, `wake` and `firing` say when it acts, the contract what it may do.
 */
export const automationMembers: MarksOf<AutomationEvent> = {
  ...approvalMembers.members,
  'automation.created': { ...version, userId: 'clear' },
  'automation.updated': version,
  'automation.paused': {},
  'automation.resumed': { epoch: 'clear' },
  'automation.archived': {},
  'automation.held': { reason: 'clear' },
  'automation.released': { reason: 'clear' },
  'automation.completed': { because: 'clear' },
  'automation.webhook_rotated': { keyId: 'clear' },
  'automation.evaluated': { epoch: 'clear', verdict: 'clear' },
  'occurrence.arose': {
    occurrenceId: 'clear',
    epoch: 'clear',
    trigger: 'clear',
    forAt: 'clear',
    dueAt: 'clear',
    inputId: 'clear',
    inputPosition: 'clear',
  },
  'occurrence.admitting': { ...admission, attempt: 'clear', retryUntil: 'clear' },
  'occurrence.deferred': { ...because, retryAt: 'clear' },
  'occurrence.accepted': admission,
  'occurrence.rejected': because,
  'occurrence.canceled': because,
  'occurrence.skipped': because,
  'occurrence.coalesced': { occurrenceId: 'clear', into: 'clear' },
  'occurrence.finished': { occurrenceId: 'clear' },
  'input.passed_over': { inputId: 'clear', inputPosition: 'clear', outcome: 'clear' },
  'contract.used': { toolCallId: 'clear', approvalId: 'clear', usd: 'clear', occurrence: 'clear' },
  'contract.use_raised': { toolCallId: 'clear', usd: 'clear' },
  'contract.use_settled': { toolCallId: 'clear', usd: 'clear' },
  'contract.use_returned': { toolCallId: 'clear' },
  'contract.superseded': { approvalId: 'clear' },
};
