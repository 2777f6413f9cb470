/** The agent's tool that moves money. */
const transferTool = 'intents_transfer';

/**
 * Returns the id of the operation that a tool call has begun, read from its result; null if it began none. The journal
 * reports the operation with `operation.submitted`, which can follow after the end of the run.
 */
export function operationBegunBy(
  tool: string | null,
  { outcome, result }: { readonly outcome: string; readonly result?: unknown },
): string | null {
  if (tool !== transferTool || outcome !== 'ok' || typeof result !== 'object' || result === null) return null;
  const operationId: unknown = Reflect.get(result, 'operationId');
  return typeof operationId === 'string' ? operationId : null;
}
