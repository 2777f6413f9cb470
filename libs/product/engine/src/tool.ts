import type { ApprovalDecider, ConsentWords, Contract } from '@app/consent';
import {
  Unavailable,
  sentence,
  type ApprovalId,
  type AutomationId,
  type Cause,
  type ConversationId,
  type Instant,
  type JsonObject,
  type JsonValue,
  type Ours,
  type RunId,
  type ToolCallId,
  type UserId,
  type WalletId,
  type Words,
} from '@app/kernel';

/** The outcome of a tool's call; the model gets a failure as its result, and the run continues. */
export type ToolResult =
  | { readonly outcome: 'ok'; readonly result: JsonValue }
  | { readonly outcome: 'error'; readonly result: { readonly error: Words } };

/** Identifies the owner of a call, and the call. */
export interface CallContext extends RunContext {
  readonly toolCallId: ToolCallId;
  /** Absent where no reader is shown the progress of the call. */
  readonly report?: ReportProgress;
}

/** How far a call is; the words are the tool's, and may be a person's. */
export interface ReportedProgress {
  readonly progress: number;
  /** Null if unknown. */
  readonly total: number | null;
  readonly message: string | null;
}

/** Takes a report of progress; never throws. */
export type ReportProgress = (reported: ReportedProgress) => void;

export interface RunContext {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  /** The automation that started the run; null for any other run. */
  readonly automationId: AutomationId | null;
  readonly cause: Cause;
}

/** A tool as the engine calls it: one of the product's (`tool-declaration.ts`), or an MCP server's. */
export type Tool = AutoTool | AskTool;

/** A tool's description for models, and its effect for the engine. */
export interface ToolHead {
  /** The name that the model sees. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input, an object; the tool checks its input itself all the same. */
  readonly inputSchema: JsonObject;
  /**
   * `none`: it only reads. `repeatable`: running a call again has no effect beyond the first. `once`: that is unknown, so a call that was
   * journaled and cut off by a crash is not run again; it returns an error that says so (docs/decisions/runs.md).
   */
  readonly effect: 'none' | 'repeatable' | 'once';
}

/** A tool that needs no consent. @typeParam Input as the tool takes it: whatever a model wrote, unless it was read before */
export interface AutoTool<Input = JsonValue> extends ToolHead {
  readonly consent: 'auto';
  run(input: Input, context: CallContext, signal: AbortSignal): Promise<ToolResult>;
}

/** A tool that does exactly what the user has approved. @typeParam Input as of `AutoTool` */
export interface AskTool<Input = JsonValue> extends ToolHead {
  readonly consent: 'ask';
  /** Returns the question for the user, or why the call cannot be made at all. */
  review(input: Input, context: CallContext): Promise<Reviewed | FailedReview>;
  run(approved: ApprovedCall<Input>, context: CallContext, signal: AbortSignal): Promise<ToolResult>;
}

/** Summary and terms are rendered from the contract, or from the reviewed input, and never by the model. */
export interface Reviewed extends ConsentWords {
  readonly ok: true;
  /** Null if no wallet is involved. */
  readonly walletId: WalletId | null;
  /** Null if the user agrees to the reviewed input itself. */
  readonly contract: Contract | null;
}

export interface FailedReview {
  readonly ok: false;
  readonly error: Words;
}

export interface ApprovedCall<Input = JsonValue> {
  readonly approvalId: ApprovalId;
  /** Exactly the reviewed input. */
  readonly input: Input;
  readonly contract: Contract | null;
  /** The user, or an automation's contract, which then bounds the call. */
  readonly decidedBy: ApprovalDecider;
  /** The use must begin before. */
  readonly useBefore: Instant;
}

/** A result that explains the failure to the model, in words of the product. */
export function failWith<const Text extends string>(error: Ours<Text>): ToolResult {
  return { outcome: 'error', result: { error: sentence(error) } };
}

/** Whether one of our own stores was away. A tool's request to it may still have been done, so the model must not be given a failure. */
export function isOwnStore(error: unknown): boolean {
  return error instanceof Unavailable && error.reason !== 'provider_unavailable';
}
