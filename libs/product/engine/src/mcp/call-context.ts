import type { CallContext } from '../tool';

/** The owner of a call, as servers receive it: in `_meta` of the request, and as claims of the header Parley-Context (docs/mcp.md). */
export interface CallIds {
  readonly 'parley/userId': string;
  readonly 'parley/conversationId': string;
  readonly 'parley/runId': string;
  /**
   * The same for every attempt of one call. Unique only per user: clients choose ids of runs, so another user's call may have the same one.
   */
  readonly 'parley/toolCallId': string;
}

export function callIdsOf({ userId, conversationId, runId, toolCallId }: CallContext): CallIds {
  return {
    'parley/userId': userId,
    'parley/conversationId': conversationId,
    'parley/runId': runId,
    'parley/toolCallId': toolCallId,
  };
}
