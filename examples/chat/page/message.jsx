import { answerMetadataOf, isWithdrawn } from '@parley/client/ai-sdk';
import { ToolCall } from './tool-call.jsx';
import { Markdown } from './markdown.jsx';
import { Settlement } from './settlement.jsx';

/**
 * @typedef {import('@parley/client/ai-sdk').ParleyUIMessage} ParleyUIMessage
 * @typedef {ReadonlyMap<string, import('@parley/client').ToolProgress>} Progress
 * @typedef {Pick<import('@ai-sdk/react').UseChatHelpers<ParleyUIMessage>, 'addToolApprovalResponse' | 'messages'>} Answering
 */

/**
 * One message: the user's, or the whole answer to it.
 * @param {{ message: ParleyUIMessage, chat: Answering, progress: Progress, announce: (words: string) => void, isStreaming: boolean }} props
 */
export function Message({ message, chat, progress, announce, isStreaming }) {
  const metadata = answerMetadataOf(message);
  return (
    <li className="message" data-role={message.role} data-status={metadata?.status}>
      <p className="unseen">{message.role === 'user' ? 'You' : 'Agent'}</p>
      {message.parts.map((part, index) => (
        <Part key={`${part.type}-${index}`} {...{ part, chat, progress, announce, isStreaming }} role={message.role} />
      ))}
      {metadata?.status === 'aborted' && <p className="quiet note">Stopped</p>}
      {metadata?.status === 'failed' && <p className="problem note">{metadata.failure?.text ?? 'It failed.'}</p>}
      {metadata?.truncated && metadata.status === 'completed' && <p className="quiet note">The answer was cut off.</p>}
    </li>
  );
}

/**
 * @param {{ part: ParleyUIMessage['parts'][number], role: string, chat: Answering, progress: Progress, announce: (words: string) => void, isStreaming: boolean }} props
 */
function Part({ part, role, chat, progress, announce, isStreaming }) {
  if (isWithdrawn(part)) return null;
  switch (part.type) {
    case 'text':
      return role === 'user' ? <p className="text">{part.text}</p> : <Markdown text={part.text} />;
    case 'reasoning':
      return (
        <details className="reasoning">
          <summary>What the agent thought</summary>
          <p>{part.text}</p>
        </details>
      );
    case 'dynamic-tool':
      return <ToolCall {...{ part, chat, announce, isStreaming }} progress={progress.get(part.toolCallId)} />;
    case 'data-settlement':
      return <Settlement data={part.data} />;
    case 'data-automation':
      return <p className="quiet note">Your automation asked: “{part.data.text}”</p>;
    case 'data-output':
      return <pre tabIndex={0}>{JSON.stringify(part.data.value, null, 2)}</pre>;
    default:
      return null;
  }
}
