import { erasedText, wordsOr } from '../erased.js';
import type { Schemas } from '../types.js';
import type { Interrupt, ResumeEntry } from './protocol.js';

type Approval = Schemas['AgentToolApproval'];

/**
 * Returns a pending approval as an AG-UI interrupt. `message` is its summary; `metadata.parley` has its `terms`,
 * `contract`, `input`, `tool` and `fingerprint`. The answer is `{approved: true, fingerprint}` with exactly this
 * fingerprint, or `{approved: false, reason?}`.
 */
export function interruptOf(approval: Approval): Interrupt {
  const { id, summary, toolCallId, expiresAt, tool, terms, contract, input, fingerprint } = approval;
  return {
    id,
    reason: 'tool_call',
    message: wordsOr(summary, erasedText),
    toolCallId,
    expiresAt,
    responseSchema: {
      type: 'object',
      properties: {
        approved: { type: 'boolean' },
        fingerprint: { const: fingerprint },
        reason: { type: 'string', description: 'The reason of a denial, which the agent receives' },
      },
      required: ['approved', 'fingerprint'],
    },
    metadata: { parley: { tool, terms: wordsOr(terms, []), contract, input, fingerprint } },
  };
}

/** A user's answer: only exactly this form is consent. */
export type Answer =
  | { readonly approved: true; readonly fingerprint: string }
  | { readonly approved: false; readonly reason: string | undefined };

/** Returns null if the payload is not an answer to an approval. `cancelled` counts as a denial. */
export function answerOf({ status, payload }: ResumeEntry): Answer | null {
  if (status === 'cancelled') return { approved: false, reason: undefined };
  if (typeof payload !== 'object' || payload === null) return null;
  // Reason for the assertion: each member is checked before it is used.
  const { approved, fingerprint, reason } = payload as Record<string, unknown>;
  if (approved === true && typeof fingerprint === 'string') return { approved, fingerprint };
  if (approved !== false || (reason !== undefined && typeof reason !== 'string')) return null;
  return { approved, reason };
}
