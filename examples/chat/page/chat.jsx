import { useEffect, useState } from 'react';
import { wordsFor } from './call.js';
import { Conversation } from './conversation.jsx';

/**
 * Loads a conversation and shows it.
 * @param {{ id: string, tools: import('./shell.jsx').Tools }} props
 */
export function Chat({ id, tools }) {
  const [history, setHistory] = useState(/** @type {import('@parley/client/ai-sdk').ChatHistory | null} */ (null));
  const [problem, setProblem] = useState('');
  const { transport, fail } = tools;

  useEffect(() => {
    const left = new AbortController();
    transport.load(id, left.signal).then(setHistory, (error) => {
      if (!left.signal.aborted && !fail(error)) setProblem(wordsFor(error));
    });
    return () => left.abort();
  }, [id, transport, fail]);

  if (problem !== '') return <p role="alert">{problem}</p>;
  if (history === null) return <p className="loading">Loading…</p>;
  return <Conversation id={id} history={history} tools={tools} />;
}
