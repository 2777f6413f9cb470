import type { UIMessage, UIMessageChunk } from 'ai';
import type { DurableFrame, Schemas, ToolProgress } from '../types.js';

type PayloadOf<Type extends DurableFrame['payload']['type']> = Extract<DurableFrame['payload'], { type: Type }>;

/** Metadata of an agent's message, about its run. */
export interface ChatMetadata {
  readonly runId: string;
  /** Position of the message, from which a stream continues exactly. Opaque. */
  readonly cursor: string;
  readonly status: 'running' | 'awaiting_approval' | 'stopping' | 'completed' | 'failed' | 'aborted';
  readonly startedAt: string;
  /** The reason of the failure; absent if the run did not fail. */
  readonly failure?: PayloadOf<'run.ended'>['failure'];
  /** Whether the answer was cut short. */
  readonly truncated?: boolean;
  /** The automation that started the run; absent if the user did. */
  readonly automationId?: string;
}

/** Metadata of a user's message; the message's id is the run's id. */
export interface AskedMetadata {
  readonly startedAt: string;
  readonly artifactIds?: readonly string[];
}

/**
 * The content of a request for consent, in addition to the tool call: `part.approval.descriptor`. Show `terms` (or, if
 * there are none, `summary` and `input`); the answer sends the fingerprint of what was shown.
 */
export interface ApprovalDescriptor {
  readonly approvalId: string;
  readonly kind: Schemas['Approval']['kind'];
  readonly tool: string;
  readonly fingerprint: string;
  readonly expiresAt: string;
  /** Whole sentences written by the service, never by the model; null if the approval could not be read. */
  readonly summary: string | null;
  readonly terms: readonly { readonly name: string; readonly text: string }[];
  readonly input: unknown;
  readonly contract: unknown;
}

/** A transfer and its outcome: one `data-settlement` part per operation, replaced when it is updated. */
export interface SettlementData {
  readonly operationId: string;
  readonly approvalId: string | null;
  readonly status: 'submitted' | 'settled' | 'failed';
  readonly actions: PayloadOf<'settlement.updated'>['actions'];
  readonly failure: PayloadOf<'settlement.updated'>['failure'];
}

/** A type, because the AI SDK requires an index signature, which an interface does not have. */
export type ChatData = {
  settlement: SettlementData;
  /** The output of a run with an `outputSchema`. */
  output: { readonly value: unknown };
  /**
   * How far a tool call is that has not returned yet. It is transient: `useChat({ onData })` gets it, and no message
   * holds it.
   */
  progress: ToolProgress;
  /** The prompt of an automation, in place of a user's message. */
  automation: { readonly automationId: string | null; readonly occurrenceId: string | null; readonly text: string };
};

/** The messages of a chat: `useChat<ParleyUIMessage>()`. */
export type ParleyUIMessage = UIMessage<ChatMetadata | AskedMetadata, ChatData>;
/** The chunks that stream to `useChat`. */
export type ParleyUIChunk = UIMessageChunk;

/** Returns the id of a run's answer; the user's message has the run's own id. */
export function answerIdOf(runId: string): string {
  return `${runId}.answer`;
}

/** Returns the metadata of an agent's answer; null for any other message. */
export function answerMetadataOf(message: UIMessage): ChatMetadata | null {
  const { metadata } = message;
  if (message.role !== 'assistant' || typeof metadata !== 'object' || metadata === null) return null;
  // Reason for the assertion: in a chat only answers have a cursor, and this package makes those.
  return 'cursor' in metadata ? (metadata as ChatMetadata) : null;
}

/** Returns the request for consent of a tool part that waits for it, or waited; null if the part has none of ours. */
export function approvalDescriptorOf(part: object): ApprovalDescriptor | null {
  const approval: unknown = 'approval' in part ? part.approval : null;
  if (typeof approval !== 'object' || approval === null || !('descriptor' in approval)) return null;
  const { descriptor } = approval;
  if (typeof descriptor !== 'object' || descriptor === null || !('fingerprint' in descriptor)) return null;
  // Reason for the assertion: descriptors with a fingerprint are made by this package.
  return descriptor as ApprovalDescriptor;
}

/** Whether a text or reasoning part was withdrawn: its step failed and was repeated. Hide it. */
export function isWithdrawn(part: object): boolean {
  const metadata: unknown = 'providerMetadata' in part ? part.providerMetadata : null;
  return typeof metadata === 'object' && metadata !== null && 'parley' in metadata;
}
