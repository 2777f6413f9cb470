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
 * @typedef {object} Props
 * @property {import('ai').DynamicToolUIPart} part
 * @property {import('@parley/client').ToolProgress | undefined} progress of the call, if it was reported
 * @property {import('./message.jsx').Answering} chat
 * @property {(words: string) => void} announce
 * @property {boolean} isStreaming
 * @param {Props} props
 */
export function ToolCall({ part, progress, chat, announce, isStreaming }) {
  const asked = approvalDescriptorOf(part);
  const words = toolWords.get(part.toolName) ?? `Used ${part.toolName}`;
  // An approved call runs in the same state as one that needs no consent.
  const running = part.state === 'input-available' && progress !== undefined && <Progress {...progress} tool={words} />;
  if (asked === null) {
    return (
      <>
        <p className="quiet tool" data-state={part.state}>
          {words}
          {part.state === 'output-error' && `: ${part.errorText}`}
        </p>
        {running}
      </>
    );
  }
  return (
    <>
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
      {running}
    </>
  );
}

/**
 * How far a running call is: a bar, of unknown length where the tool does not say how far it has to go, and the words of the tool,
 * which are data.
 * @param {import('@parley/client').ToolProgress & { tool: string }} props
 */
function Progress({ progress, total, message, tool }) {
  const value = total === null || total === 0 ? {} : { value: Math.min(progress, total), max: total };
  return (
    <p className="quiet progress">
      <progress aria-label={tool} {...value} /> {message ?? (total === null ? progress : `${progress} of ${total}`)}
    </p>
  );
}
