import type { UIMessage } from 'ai';
import { approvalDescriptorOf, type ParleyUIChunk } from './message.js';

/** An answer that the user gave in the page. */
export interface GivenAnswer {
  readonly toolCallId: string;
  readonly approvalId: string;
  readonly approved: boolean;
  readonly fingerprint: string;
  readonly reason?: string;
}

/** Returns the answers in a message whose outcome is not published yet. */
export function answersIn({ role, parts }: UIMessage): GivenAnswer[] {
  if (role !== 'assistant') return [];
  return parts.flatMap((part) => {
    if (!('state' in part) || part.state !== 'approval-responded') return [];
    const descriptor = approvalDescriptorOf(part);
    if (descriptor === null) return [];
    const { toolCallId, approval } = part;
    const { id: approvalId, approved, reason } = approval;
    // Always the fingerprint of what was shown.
    const { fingerprint } = descriptor;
    return [{ toolCallId, approvalId, approved, fingerprint, ...(reason !== undefined && { reason }) }];
  });
}

/** Shows the questions again, with the reason why their answers did not arrive. */
export function questionsAgain(
  message: UIMessage,
  given: readonly GivenAnswer[],
  error: unknown,
): ReadableStream<ParleyUIChunk> {
  const errorText = error instanceof Error ? error.message : String(error);
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'start', messageId: message.id });
      for (const { toolCallId, approvalId } of given) {
        const part = message.parts.find((one) => 'toolCallId' in one && one.toolCallId === toolCallId);
        const approvalDescriptor = part === undefined ? null : approvalDescriptorOf(part);
        controller.enqueue({ type: 'tool-approval-request', toolCallId, approvalId, approvalDescriptor });
      }
      controller.enqueue({ type: 'error', errorText: `Your answer did not arrive: ${errorText}` });
      controller.close();
    },
  });
}
