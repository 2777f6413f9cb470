import { approvalPrivateMembers, type ApprovalEvent } from '@app/consent';
import type {
  ApprovalId,
  ConversationId,
  InputId,
  Instant,
  OccurrenceId,
  OccurrenceTrigger,
  RunId,
  ToolCallId,
  UserId,
  Words,
} from '@app/kernel';
import type { AutomationDefinition } from '../definition/automation-definition';
import type { Verdict } from '../condition/condition';
import type { TokenSymbols } from '../definition/token-symbols';

/** The facts of one automation, in stream `automation-<automationId>`. */
export type AutomationEvent =
  AutomationLifeEvent | OccurrenceEvent | InputPassedOver | ContractUseEvent | ContractSuperseded | ApprovalEvent;

export type AutomationLifeEvent =
  | (Version & { readonly type: 'automation.created'; readonly at: Instant; readonly userId: UserId })
  | (Version & { readonly type: 'automation.updated'; readonly at: Instant })
  | { readonly type: 'automation.paused'; readonly at: Instant }
  | { readonly type: 'automation.resumed'; readonly at: Instant; readonly epoch: string }
  | { readonly type: 'automation.archived'; readonly at: Instant }
  /** By an operator. */
  | { readonly type: 'automation.held'; readonly at: Instant; readonly reason: string }
  | { readonly type: 'automation.released'; readonly at: Instant; readonly reason: string }
  /** It has finished for good: nothing fires any more. */
  | { readonly type: 'automation.completed'; readonly at: Instant; readonly because: CompletionCause }
  /** Another webhook key from now on; the secret itself is sealed in a table of its own. */
  | { readonly type: 'automation.webhook_rotated'; readonly at: Instant; readonly keyId: string }
  /** Only when the known verdict changes, or an occurrence arises. */
  | { readonly type: 'automation.evaluated'; readonly at: Instant; readonly epoch: string; readonly verdict: Verdict };

interface Version {
  readonly definition: AutomationDefinition;
  /** What the provider called the tokens that it names. */
  readonly symbols: TokenSymbols;
  /** From 1. */
  readonly definitionVersion: number;
  /** A UUID: the activation that begins here. With the version it makes the revision. */
  readonly epoch: string;
}

export type CompletionCause = 'once' | 'max_occurrences' | 'end_at' | 'schedule_over';

export type OccurrenceEvent =
  /** It is pending from here on. */
  | (OfOccurrence<'occurrence.arose'> & {
      readonly epoch: string;
      readonly trigger: OccurrenceTrigger;
      /** The instant that it is for: its due time, or when its input was recorded. */
      readonly forAt: Instant;
      readonly dueAt: Instant | null;
      readonly inputId: InputId | null;
      /** Position of the input in the store: inputs come in this order. */
      readonly inputPosition: number | null;
    })
  /** Its admission has begun: its outcome is recorded, even if the automation changes meanwhile. */
  | (OfOccurrence<'occurrence.admitting'> & {
      readonly conversationId: ConversationId;
      readonly runId: RunId;
      /** From 1. */
      readonly attempt: number;
      /** An admission that fails is tried again until then; the same for all attempts: what waited in turn has its time too. */
      readonly retryUntil: Instant;
    })
  | (OfOccurrence<'occurrence.deferred'> & { readonly reason: Words; readonly retryAt: Instant })
  | (OfOccurrence<'occurrence.accepted'> & { readonly conversationId: ConversationId; readonly runId: RunId })
  | (OfOccurrence<'occurrence.rejected'> & { readonly reason: Words })
  | (OfOccurrence<'occurrence.canceled'> & { readonly reason: Words })
  | (OfOccurrence<'occurrence.skipped'> & { readonly reason: Words })
  | (OfOccurrence<'occurrence.coalesced'> & { readonly into: OccurrenceId })
  /** The run of an accepted one has ended: it is not active any more. */
  | OfOccurrence<'occurrence.finished'>;

interface OfOccurrence<Type extends string> {
  readonly type: Type;
  readonly at: Instant;
  readonly occurrenceId: OccurrenceId;
}

/** Why no occurrence came of an input, closed: `automations.input` shows it. */
export const passedOvers = [
  'not_matched' as const,
  'cooldown' as const,
  'unknown' as const,
  'type_not_awaited' as const,
  'stale' as const,
  'paused' as const,
  'rejected' as const,
] as const;
export type PassedOver = (typeof passedOvers)[number];

/** An input of which no occurrence came, and why; an invocation always has one. */
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
      /** The tool call that uses it: once, however often it is asked for. */
      readonly toolCallId: ToolCallId;
      /** The approval that is opened and decided for the call, whose operation is the effect. */
      readonly approvalId: ApprovalId;
      /** What it came to in US dollars at that instant's prices, rounded up: a decimal text. */
      readonly usd: string;
      /** The occurrence whose run makes the call; null in events of version 1. */
      readonly occurrence: OccurrenceId | null;
    }
  /** What is counted of a use grows, before its operation moves more than was expected: another price, a deposit. */
  | (OfUse<'contract.use_raised'> & { readonly usd: string })
  /** The operation is over: from here on this is what the use has moved. */
  | (OfUse<'contract.use_settled'> & { readonly usd: string })
  /** The operation never submitted anything. */
  | OfUse<'contract.use_returned'>;

interface OfUse<Type extends string> {
  readonly type: Type;
  readonly at: Instant;
  /** The tool call that used the contract. */
  readonly toolCallId: ToolCallId;
}

/** What the user approved of the contract holds no more: the rule is another one, or was archived. The approval stays as it was decided. */
export interface ContractSuperseded {
  readonly type: 'contract.superseded';
  readonly at: Instant;
  readonly approvalId: ApprovalId;
}

/** Only operators read an automation's stream; private members of an approval stay in the metadata here as well. */
export const automationPrivateMembers = approvalPrivateMembers;
