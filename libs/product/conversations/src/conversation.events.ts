import { approvalPrivateMembers, type ApprovalEvent } from '@app/consent';
import type {
  ApprovalId,
  ArtifactId,
  Instant,
  JsonValue,
  MessageId,
  OccurrenceTrigger,
  OperationId,
  RunId,
  RunKey,
  ToolCallId,
  UserId,
} from '@app/kernel';

/** The facts of a conversation's stream; each payload is public as it stands, but for the members listed as private below. */
export type ConversationEvent = ConversationLifeEvent | RunEvent | ApprovalEvent | OperationCopy;

export type ConversationLifeEvent =
  | {
      readonly type: 'conversation.created';
      readonly at: Instant;
      readonly title: string | null;
      readonly origin: Origin;
      readonly automationId: string | null;
      /** Private. */
      readonly userId: UserId;
    }
  | { readonly type: 'conversation.updated'; readonly at: Instant; readonly title: string }
  | { readonly type: 'conversation.archived'; readonly at: Instant }
  /** An occurrence of the automation was admitted here: its run starts in the same append. */
  | {
      readonly type: 'automation.triggered';
      readonly at: Instant;
      readonly automationId: string;
      readonly occurrenceId: string;
      readonly trigger: OccurrenceTrigger;
    }
  | (ArtifactFacts & { readonly type: 'artifact.uploaded'; readonly at: Instant });

/** A file of the conversation; its bytes are kept elsewhere, by their hash. */
export interface ArtifactFacts {
  readonly artifactId: ArtifactId;
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

export type RunEvent =
  | (OfRun<'run.started'> & {
      readonly origin: RunOrigin;
      readonly automationId: string | null;
      readonly occurrenceId: string | null;
      readonly request: RunRequest;
      /** Private: what the request was resolved to, whose run it is, and the id of the message that the input is. */
      readonly resolved: ResolvedRun;
      readonly userId: UserId;
      readonly messageId: MessageId;
    })
  | (OfRun<'run.claimed'> & { readonly segment: number; readonly attempt: number })
  /** The run waits for decisions, and holds neither the conversation nor a slot meanwhile. */
  | (OfRun<'run.suspended'> & {
      readonly segment: number;
      readonly approvalIds: readonly ApprovalId[];
      /** Of the whole run so far. */
      readonly usage: Usage;
      /** Private: whose run it is, and what the segment that is over costs. */
      readonly userId: UserId;
      readonly segmentCostCents: number;
    })
  /** Nothing is pending any more: the run goes on in a new segment. */
  | (OfRun<'run.resumed'> & { readonly segment: number; readonly approvalIds: readonly ApprovalId[] })
  | OfRun<'run.stopping'>
  | (OfRun<'run.ended'> & {
      readonly status: RunEndStatus;
      readonly response: RunResponse | null;
      readonly output: JsonValue;
      readonly failure: RunFailure | null;
      readonly usage: Usage;
      /** Private: whose run it was, the segment that ended, and what it costs. */
      readonly userId: UserId;
      readonly segment: number;
      readonly segmentCostCents: number;
    })
  | (OfRun<'agent.step'> & {
      /** From 1, counted over the whole run. */
      readonly step: number;
      /** Of this step; `costCents` is what the step adds to its segment's cost, so that steps add up. */
      readonly usage: Usage;
      /** Private: the exact cost, which is rounded up once per segment. */
      readonly costMicroCents: number;
    })
  | (OfRun<'agent.message'> & {
      readonly messageId: MessageId;
      readonly text: string;
      /** Whether the answer ended before its end: by the output limit, an abort, or the provider's trouble. */
      readonly truncated: boolean;
    })
  | (OfRun<'tool.called'> & { readonly toolCallId: ToolCallId; readonly tool: string; readonly input: JsonValue })
  | (OfRun<'tool.returned'> & {
      readonly toolCallId: ToolCallId;
      readonly outcome: ToolOutcome;
      readonly result: JsonValue;
    });

/** What a financial operation came to, copied from its own stream into the conversation that it began in. */
export type OperationCopy =
  | {
      readonly type: 'operation.submitted';
      readonly at: Instant;
      readonly operationId: OperationId;
      readonly runId: RunId | null;
      readonly approvalId: ApprovalId;
    }
  | {
      readonly type: 'settlement.updated';
      readonly at: Instant;
      readonly operationId: OperationId;
      readonly status: 'settled' | 'failed';
      /** As `financialOperations.get` shows them. */
      readonly actions: JsonValue;
      readonly failure: JsonValue;
    };

interface OfRun<Type extends string> {
  readonly type: Type;
  readonly at: Instant;
  readonly runId: RunId;
  /** Private: the run's id inside the deployment. */
  readonly runKey: RunKey;
}

/** Members that are kept in the event's metadata, because everything in the stream's payloads is public. */
export const privateMembers = {
  'conversation.created': ['userId'],
  'run.started': ['runKey', 'userId', 'messageId', 'resolved'],
  'run.claimed': ['runKey'],
  'run.suspended': ['runKey', 'userId', 'segmentCostCents'],
  'run.resumed': ['runKey'],
  'run.stopping': ['runKey'],
  'run.ended': ['runKey', 'userId', 'segment', 'segmentCostCents'],
  'agent.step': ['runKey', 'costMicroCents'],
  'agent.message': ['runKey'],
  'tool.called': ['runKey'],
  'tool.returned': ['runKey'],
  ...approvalPrivateMembers,
} as const;
export type PrivateMembers = typeof privateMembers;

export const origins = ['conversation', 'automation'] as const;
export type Origin = (typeof origins)[number];
export type RunOrigin = 'user' | 'automation';
export type RunEndStatus = 'completed' | 'failed' | 'aborted';
export type ToolOutcome = 'ok' | 'error' | 'denied' | 'expired';

export const runFailureReasons = [
  'engine_error',
  'provider_error',
  'step_limit',
  'budget_exhausted',
  'output_invalid',
  'approval_expired',
  'account_disabled',
] as const;
export type RunFailureReason = (typeof runFailureReasons)[number];

export interface RunFailure {
  readonly reason: RunFailureReason;
  readonly text: string;
}

/** The assistant's last word. */
export interface RunResponse {
  readonly text: string;
  /** Whether the model's output limit cut it. */
  readonly truncated: boolean;
}

/** Tokens, and the cost in whole cents. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costCents: number;
  /** Whether some of it is an estimate, because the provider told no usage. */
  readonly estimated: boolean;
}

/** What was sent, to the letter, as `runs.get` gives it back. */
export interface RunRequest {
  readonly input: { readonly text: string; readonly artifactIds?: readonly string[] };
  readonly profile?: AskedProfile;
}

/** A profile as it was asked for; what is absent was left to the deployment. */
export interface AskedProfile {
  readonly model?: string;
  readonly instructions?: string;
  readonly tools?: readonly string[];
  readonly maxSteps?: number;
  readonly outputSchema?: JsonValue;
}

/** What the deployment made of it at the admission; the run keeps it, whatever the defaults are later. */
export interface ResolvedRun {
  readonly model: string;
  readonly tools: readonly string[];
  readonly maxSteps: number;
}

/** Everything that a run executes with. */
export interface RunProfile extends ResolvedRun {
  readonly instructions: string | null;
  readonly outputSchema: JsonValue;
}

export function profileOf(request: RunRequest, resolved: ResolvedRun): RunProfile {
  const { instructions = null, outputSchema = null } = request.profile ?? {};
  return { ...resolved, instructions, outputSchema };
}

/** Live only: presentation of a message that is still being written; it has no place in the journal. */
export interface TextDelta {
  readonly type: 'agent.text_delta';
  readonly at: Instant;
  readonly runId: RunId;
  readonly messageId: MessageId;
  readonly text: string;
}
