import type { AutomationView } from '@app/automations';
import { issueWords, reasons, words, type Refusal, type Words } from '@app/kernel';
import type { ToolResult } from '../tool';

/** The result that models get for an automation that was written. */
export function describeWritten({ id, revision, contractApprovalId }: AutomationView): ToolResult {
  const note =
    contractApprovalId === null
      ? {}
      : { note: 'The contract is asked for apart; it covers nothing before the user has approved it.' };
  return { outcome: 'ok', result: { automationId: id, revision, contractApprovalId, ...note } };
}

/** A refusal in words for models. */
export function wordsFor(refusal: Refusal): Words {
  switch (refusal.kind) {
    case 'reason':
      return words`${refusal.reason}: ${reasons[refusal.reason].title}`;
    case 'not_found':
      return words`there is no such automation`;
    case 'invalid_input':
      return words`not valid: ${issueWords(refusal.issues)}`;
  }
}
