import { useState } from 'react';
import { call, wordsFor } from './call.js';
import { Composer } from './composer.jsx';
import { leaveFirstMessage } from './first-message.js';

const titleLengthMax = 60;
const ideas = [
  'what is my balance',
  'withdraw 1.5 USDC',
  'when NEAR drops below $2 swap 10 USDC to NEAR',
  'every day at 09:00 Europe/Berlin tell me the price of NEAR',
];

/**
 * The page before there is a conversation: the first message creates one.
 * @param {{ tools: import('./shell.jsx').Tools, onCreated: (id: string) => void }} props
 */
export function NewChat({ tools, onCreated }) {
  const [draft, setDraft] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');

  /** @param {string} text */
  async function begin(text) {
    setBusy(true);
    setProblem('');
    try {
      const { id } = await call('POST', '/api/conversations', { title: text.slice(0, titleLengthMax) });
      leaveFirstMessage(id, text);
      onCreated(id);
    } catch (error) {
      if (!tools.fail(error)) setProblem(wordsFor(error));
      setBusy(false);
    }
  }

  return (
    <section className="chat">
      <div className="log empty">
        <h2>What can I do for you?</h2>
        <ul className="ideas">
          {ideas.map((idea) => (
            <li key={idea}>
              <button onClick={() => setDraft(idea)}>{idea}</button>
            </li>
          ))}
        </ul>
      </div>
      <Composer
        draft={draft}
        onDraft={setDraft}
        onSend={(text) => void begin(text)}
        isBusy={isBusy}
        problem={problem}
      />
    </section>
  );
}
