import { approvalDescriptorOf } from '@parley/client/ai-sdk';
import { ApprovalCard } from './approval-card.jsx';

/** Descriptions of used tools, by the tool's name. */
const toolWords = new Map([
  ['wallet_balances', 'Read your wallet'],
  ['token_price', 'Read a price'],
  ['intents_transfer', 'Prepared a transfer'],
  ['automation_create', 'Wrote an automation'],
  ['automation_update', 'Changed an automation'],
  ['automation_list', 'Read your automations'],
  ['artifact_read', 'Read a file'],
  ['current_time', 'Read the clock'],
]);

/**
 * A tool call: a line, or a card if it needs consent.
 * @param {{ part: import('ai').DynamicToolUIPart, chat: import('./message.jsx').Answering, announce: (words: string) => void, isStreaming: boolean }} props
 */
export function ToolCall({ part, chat, announce, isStreaming }) {
  const asked = approvalDescriptorOf(part);
  const words = toolWords.get(part.toolName) ?? `Used ${part.toolName}`;
  if (asked === null) {
    return (
      <p className="quiet tool" data-state={part.state}>
        {words}
        {part.state === 'output-error' && `: ${part.errorText}`}
      </p>
    );
  }
  return (
    <ApprovalCard
      asked={asked}
      state={part.state}
      detail={part.state === 'output-error' ? part.errorText : (part.approval?.reason ?? '')}
      isBusy={isStreaming}
      announce={announce}
      onAnswer={({ approved, reason }) =>
        void chat.addToolApprovalResponse({ id: asked.approvalId, approved, ...(reason !== '' && { reason }) })
      }
    />
  );
}
