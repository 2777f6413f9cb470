import { useCallback, useEffect, useMemo, useState } from 'react';
import { ParleyChatTransport } from '@parley/client/ai-sdk';
import { ApprovalsPage } from './approvals-page.jsx';
import { AutomationsPage } from './automations-page.jsx';
import { call } from './call.js';
import { Chat } from './chat.jsx';
import { ConversationList } from './conversation-list.jsx';
import { NewChat } from './new-chat.jsx';
import { goTo, usePlace } from './place.js';
import { WalletPage } from './wallet-page.jsx';

/**
 * @typedef {import('@parley/client').Schemas['Conversation']} Conversation
 * @typedef {{ transport: ParleyChatTransport, fail: (error: unknown) => boolean, refresh: () => void, announce: (words: string) => void }} Tools
 *   `fail` returns whether the session is over; `refresh` reads the list of conversations again
 */

const links = /** @type {const} */ ([
  ['chats', 'Chats'],
  ['approvals', 'Approvals'],
  ['automations', 'Automations'],
  ['wallet', 'Wallet'],
]);

/** @param {{ name: string, onSignOut: () => void, onSessionOver: () => void }} props */
export function Shell({ name, onSignOut, onSessionOver }) {
  const place = usePlace();
  const transport = useMemo(() => new ParleyChatTransport({ api: '/api/chat' }), []);
  const [words, setWords] = useState('');
  const [conversations, setConversations] = useState(/** @type {Conversation[]} */ ([]));

  const fail = useCallback(
    (/** @type {unknown} */ error) => {
      const isOver = typeof error === 'object' && error !== null && Reflect.get(error, 'status') === 401;
      if (isOver) onSessionOver();
      return isOver;
    },
    [onSessionOver],
  );
  const refresh = useCallback(() => {
    call('GET', '/api/conversations').then(({ data }) => setConversations(data), fail);
  }, [fail]);
  useEffect(refresh, [refresh]);
  const tools = useMemo(() => ({ transport, fail, refresh, announce: setWords }), [transport, fail, refresh]);

  const current = place.page === 'chat' || place.page === 'new' ? 'chats' : place.page;
  return (
    <div className="shell" data-page={place.page}>
      <header>
        <h1>Agent</h1>
        <nav aria-label="Pages">
          {links.map(([page, label]) => (
            <a key={page} href={`#/${page}`} aria-current={page === current ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <p className="who">
          {name} <button onClick={onSignOut}>Sign out</button>
        </p>
      </header>
      <aside aria-label="Conversations">
        <ConversationList conversations={conversations} openId={place.page === 'chat' ? place.id : null} />
      </aside>
      <main>
        <Page place={place} tools={tools} />
      </main>
      <div aria-live="polite" className="unseen" id="announcer">
        {words}
      </div>
    </div>
  );
}

/** @param {{ place: import('./place.js').Place, tools: Tools }} props */
function Page({ place, tools }) {
  switch (place.page) {
    case 'chat':
      return <Chat key={place.id} id={place.id} tools={tools} />;
    case 'approvals':
      return <ApprovalsPage tools={tools} />;
    case 'automations':
      return <AutomationsPage tools={tools} />;
    case 'wallet':
      return <WalletPage tools={tools} />;
    default:
      return (
        <NewChat
          tools={tools}
          onCreated={(id) => {
            tools.refresh();
            goTo(`chat/${id}`);
          }}
        />
      );
  }
}
