import type { Contract } from '@app/consent';
import type { ApprovalId, Cause, ConversationId, Instant, JsonValue, RunId, UserId, WalletId } from '@app/kernel';

/** What a tool's run came to; a failure is told to the model, and the run goes on. */
export type ToolResult =
  | { readonly outcome: 'ok'; readonly result: JsonValue }
  | { readonly outcome: 'error'; readonly result: { readonly error: string } };

/** Whose call it is. */
export interface CallContext {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly cause: Cause;
}

/**
 * A tool of the closed registry (decisions.md, section 3, "Tools"). Every one may be run again after a crash: it has no outside
 * effect, or does it under a key that is the same each time.
 */
export type Tool = AutoTool | AskTool;

/** It needs no consent. */
export interface AutoTool {
  /** As the model sees it. */
  readonly name: string;
  readonly consent: 'auto';
  run(input: JsonValue, context: CallContext, signal: AbortSignal): Promise<ToolResult>;
}

/** It acts only on what the user has approved, to the letter. */
export interface AskTool {
  readonly name: string;
  readonly consent: 'ask';
  /** What the user is to be asked, or why the call cannot be made at all. */
  review(input: JsonValue, context: CallContext): Promise<Reviewed | FailedReview>;
  run(approved: ApprovedCall, context: CallContext, signal: AbortSignal): Promise<ToolResult>;
}

export interface Reviewed {
  readonly ok: true;
  readonly walletId: WalletId;
  readonly contract: Contract;
  /** One plain sentence, rendered from the contract. */
  readonly summary: string;
}

export interface FailedReview {
  readonly ok: false;
  readonly error: string;
}

export interface ApprovedCall {
  readonly approvalId: ApprovalId;
  readonly contract: Contract;
  /** The use must begin before. */
  readonly useBefore: Instant;
}

/** A result that tells the model what went wrong, in words that are the product's own. */
export function failed(error: string): ToolResult {
  return { outcome: 'error', result: { error } };
}
