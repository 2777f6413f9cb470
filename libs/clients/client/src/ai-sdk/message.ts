import type { UIMessage, UIMessageChunk } from 'ai';
import type { DurableFrame, Schemas } from '../types.js';

type PayloadOf<Type extends DurableFrame['payload']['type']> = Extract<DurableFrame['payload'], { type: Type }>;

/** What a message of the agent says about its run. */
export interface ChatMetadata {
  readonly runId: string;
  /** Where the message stands: what goes on from here goes on exactly. Opaque. */
  readonly cursor: string;
  readonly status: 'running' | 'awaiting_approval' | 'stopping' | 'completed' | 'failed' | 'aborted';
  readonly startedAt: string;
  /** Why the run failed; null where it did not. */
  readonly failure?: PayloadOf<'run.ended'>['failure'];
  /** Whether the answer ended before its end. */
  readonly truncated?: boolean;
  /** The automation that started the run; absent where the user did. */
  readonly automationId?: string;
}

/** What a user's message says; the run's id is the message's own. */
export interface AskedMetadata {
  readonly startedAt: string;
  readonly artifactIds?: readonly string[];
}

/**
 * What consent is asked for, beside the tool call: `part.approval.descriptor`. Show `terms` (or, where there are none, `summary` and
 * `input`); the answer sends the fingerprint of what was shown.
 */
export interface ApprovalDescriptor {
  readonly approvalId: string;
  readonly kind: Schemas['Approval']['kind'];
  readonly tool: string;
  readonly fingerprint: string;
  readonly expiresAt: string;
  /** Whole sentences of the service, never the model's; null where the approval could not be read. */
  readonly summary: string | null;
  readonly terms: readonly { readonly name: string; readonly text: string }[];
  readonly input: unknown;
  readonly contract: unknown;
}

/** A transfer on its way, and what came of it: one `data-settlement` part per operation, replaced as it goes on. */
export interface SettlementData {
  readonly operationId: string;
  readonly approvalId: string | null;
  readonly status: 'submitted' | 'settled' | 'failed';
  readonly actions: PayloadOf<'settlement.updated'>['actions'];
  readonly failure: PayloadOf<'settlement.updated'>['failure'];
}

/** A type, not an interface: the AI SDK wants an index signature. */
export type ChatData = {
  settlement: SettlementData;
  /** What a run with an `outputSchema` came to. */
  output: { readonly value: unknown };
  /** What an automation asked, in place of a user. */
  automation: { readonly automationId: string | null; readonly occurrenceId: string | null; readonly text: string };
};

/** The messages of a chat: `useChat<ParleyUIMessage>()`. */
export type ParleyUIMessage = UIMessage<ChatMetadata | AskedMetadata, ChatData>;
/** What streams to `useChat`. */
export type ParleyUIChunk = UIMessageChunk;

/** The id of a run's answer; the user's message has the run's own id. */
export function answerIdOf(runId: string): string {
  return `${runId}.answer`;
}

/** A message's metadata where it is an answer of the agent, else null. */
export function answerMetadataOf(message: UIMessage): ChatMetadata | null {
  const { metadata } = message;
  if (message.role !== 'assistant' || typeof metadata !== 'object' || metadata === null) return null;
  // Reason for the assertion: of the messages of a chat only answers have a cursor, and those are made here.
  return 'cursor' in metadata ? (metadata as ChatMetadata) : null;
}

/** What is asked with a tool part that waits for consent, or waited for it; null where the part is none of ours. */
export function approvalDescriptorOf(part: object): ApprovalDescriptor | null {
  const approval: unknown = 'approval' in part ? part.approval : null;
  if (typeof approval !== 'object' || approval === null || !('descriptor' in approval)) return null;
  const { descriptor } = approval;
  if (typeof descriptor !== 'object' || descriptor === null || !('fingerprint' in descriptor)) return null;
  // Reason for the assertion: descriptors with a fingerprint are made by this package.
  return descriptor as ApprovalDescriptor;
}

/** Whether a text or reasoning part was taken back: its step broke and was done again, so that what it says stands elsewhere. Hide it. */
export function isWithdrawn(part: object): boolean {
  const metadata: unknown = 'providerMetadata' in part ? part.providerMetadata : null;
  return typeof metadata === 'object' && metadata !== null && 'parley' in metadata;
}
