import { erasedText, wordsOr } from '@parley/client/ai-sdk';
import { goTo } from './place.js';

/** @param {{ conversations: import('./shell.jsx').Conversation[], openId: string | null }} props */
export function ConversationList({ conversations, openId }) {
  return (
    <>
      <button className="primary" onClick={() => goTo('new')}>
        New chat
      </button>
      <ul className="conversations">
        {conversations.map(({ id, title, pendingApprovals }) => (
          <li key={id}>
            <a href={`#/chat/${id}`} aria-current={id === openId ? 'true' : undefined}>
              <span>{wordsOr(title, erasedText) ?? 'Untitled'}</span>
              {pendingApprovals > 0 && <span className="badge">needs you</span>}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}
