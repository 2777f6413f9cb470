/** The agent's tool that moves money. */
const transferTool = 'intents_transfer';

/**
 * The id of the operation that a call has begun, by what it returned; null where it has begun none. The journal tells of the operation
 * by `operation.submitted`, which can come after the end of the run.
 */
export function operationBegunBy(
  tool: string | null,
  { outcome, result }: { readonly outcome: string; readonly result?: unknown },
): string | null {
  if (tool !== transferTool || outcome !== 'ok' || typeof result !== 'object' || result === null) return null;
  const operationId: unknown = Reflect.get(result, 'operationId');
  return typeof operationId === 'string' ? operationId : null;
}
