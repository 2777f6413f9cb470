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

/** The outcome of a tool's call; the model gets a failure as its result, and the run goes on. */
export type ToolResult =
  | { readonly outcome: 'ok'; readonly result: JsonValue }
  | { readonly outcome: 'error'; readonly result: { readonly error: Words } };

/** Whose call it is. */
export interface CallContext extends RunContext {
  readonly toolCallId: ToolCallId;
}

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

/** What every tool tells models of itself, and the engine of its effect. */
export interface ToolHead {
  /** As the model sees it. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input, an object; the tool checks its input itself all the same. */
  readonly inputSchema: JsonObject;
  /**
   * `none`: it only looks. `repeatable`: running a call again has no effect beyond the first. `once`: that is unknown, so a call that was
   * journaled and cut off by a crash is not run again; it returns an error that says so (docs/decisions/runs.md).
   */
  readonly effect: 'none' | 'repeatable' | 'once';
}

/** It needs no consent. @typeParam Input as the tool takes it: whatever a model wrote, unless it was read before */
export interface AutoTool<Input = JsonValue> extends ToolHead {
  readonly consent: 'auto';
  run(input: Input, context: CallContext, signal: AbortSignal): Promise<ToolResult>;
}

/** It acts only on what the user has approved, to the letter. @typeParam Input as of `AutoTool` */
export interface AskTool<Input = JsonValue> extends ToolHead {
  readonly consent: 'ask';
  /** What the user is to be asked, or why the call cannot be made at all. */
  review(input: Input, context: CallContext): Promise<Reviewed | FailedReview>;
  run(approved: ApprovedCall<Input>, context: CallContext, signal: AbortSignal): Promise<ToolResult>;
}

/** Summary and terms are rendered from the contract, or from the reviewed input, and never by the model. */
export interface Reviewed extends ConsentWords {
  readonly ok: true;
  /** Null where no wallet is involved. */
  readonly walletId: WalletId | null;
  /** Null where the reviewed input itself is what is agreed to. */
  readonly contract: Contract | null;
}

export interface FailedReview {
  readonly ok: false;
  readonly error: Words;
}

export interface ApprovedCall<Input = JsonValue> {
  readonly approvalId: ApprovalId;
  /** What was reviewed, to the letter. */
  readonly input: Input;
  readonly contract: Contract | null;
  /** The user, or an automation's contract, which then bounds what is done. */
  readonly decidedBy: ApprovalDecider;
  /** The use must begin before. */
  readonly useBefore: Instant;
}

/** A result that tells the model what went wrong, in words that are the product's own. */
export function failWith<const Text extends string>(error: Ours<Text>): ToolResult {
  return { outcome: 'error', result: { error: sentence(error) } };
}

/** Whether one of our own stores was away. What a tool asked of it may still have been done, so the model is not told that it failed. */
export function isOwnStore(error: unknown): boolean {
  return error instanceof Unavailable && error.reason !== 'provider_unavailable';
}
