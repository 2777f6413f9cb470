import type { AutomationView } from '@app/automations';
import { reasons, type Refusal } from '@app/kernel';
import type { ToolResult } from '../tool';

/** What models are told of an automation that was written. */
export function describeWritten({ id, revision, contractApprovalId }: AutomationView): ToolResult {
  const note =
    contractApprovalId === null
      ? {}
      : { note: 'The contract is asked for apart; it covers nothing before the user has approved it.' };
  return { outcome: 'ok', result: { automationId: id, revision, contractApprovalId, ...note } };
}

/** A refusal in words for models. */
export function wordsFor(refusal: Refusal): string {
  switch (refusal.kind) {
    case 'reason':
      return `${refusal.reason}: ${reasons[refusal.reason].title}`;
    case 'not_found':
      return 'there is no such automation';
    case 'invalid_input':
      return `not valid: ${refusal.issues.map(({ path, message }) => `${path} ${message}`).join('; ')}`;
  }
}
