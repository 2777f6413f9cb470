import { useEffect, useRef, useState } from 'react';
import { useChat } from '@ai-sdk/react';
import { answerMetadataOf } from '@parley/client/ai-sdk';
import { wordsFor } from './call.js';
import { Composer } from './composer.jsx';
import { takeFirstMessage } from './first-message.js';
import { Message } from './message.jsx';
import { useProgress } from './use-progress.js';
import { useUpdates } from './use-updates.js';

/** Within this distance the user counts as being at the end. */
const nearlyPixels = 120;

/**
 * A conversation: the AI SDK's useChat with Parley behind it.
 * @param {{ id: string, history: import('@parley/client/ai-sdk').ChatHistory, tools: import('./shell.jsx').Tools }} props
 */
export function Conversation({ id, history, tools }) {
  const { transport, announce, fail } = tools;
  const [draft, setDraft] = useState('');
  const [progress, onData] = useProgress();
  const chat = useChat({
    id,
    messages: history.messages,
    transport,
    resume: true,
    generateId: () => crypto.randomUUID(),
    sendAutomaticallyWhen: transport.sendAutomaticallyWhen,
    onData,
    onError: (error) => void fail(error),
    onFinish: ({ message }) => {
      const words = textOf(message);
      if (words !== '') announce(words); // a question announces itself
    },
  });
  useUpdates(chat, history.seq, tools);
  useFirstMessage(id, chat);
  const log = useFollowedEnd(chat.messages);

  const { error, status, messages, setMessages, clearError } = chat;
  const isBusy = status === 'submitted' || status === 'streaming';

  useEffect(() => {
    // Puts a message that was refused back into the field where it was written.
    const last = messages.at(-1);
    if (status !== 'error' || last?.role !== 'user') return;
    setDraft(textOf(last));
    setMessages(messages.slice(0, -1));
  }, [status, messages, setMessages]);

  /** @param {string} text */
  function send(text) {
    setDraft('');
    clearError();
    void chat.sendMessage({ text });
  }

  return (
    <section className="chat" aria-label="Conversation">
      <div className="log" ref={log} tabIndex={0} role="log" aria-label="What was said" aria-live="off">
        <ol>
          {messages.map((message) => (
            <Message key={message.id} {...{ message, chat, progress, announce }} isStreaming={isBusy} />
          ))}
        </ol>
        {isBusy && <p className="quiet">{isStopping(messages) ? 'Stopping…' : 'The agent is working…'}</p>}
      </div>
      <Composer
        draft={draft}
        onDraft={setDraft}
        onSend={send}
        onStop={() => void transport.abort(id).catch(fail)}
        isBusy={isBusy}
        problem={error === undefined ? '' : wordsFor(error)}
      />
    </section>
  );
}

/**
 * Sends the message that was written before the conversation existed.
 * @param {string} id
 * @param {{ sendMessage: (message: { text: string }) => Promise<void> }} chat
 */
function useFirstMessage(id, { sendMessage }) {
  useEffect(() => {
    const text = takeFirstMessage(id);
    if (text !== null) void sendMessage({ text });
  }, [id, sendMessage]);
}

/**
 * Keeps the log scrolled to its end, unless the user scrolled away from there.
 * @param {readonly object[]} messages
 */
function useFollowedEnd(messages) {
  const log = useRef(/** @type {HTMLDivElement | null} */ (null));
  const height = useRef(0);
  useEffect(() => {
    const { current } = log;
    if (current === null) return;
    const wasAtEnd = height.current - current.scrollTop - current.clientHeight < nearlyPixels;
    height.current = current.scrollHeight;
    if (wasAtEnd) current.scrollTop = current.scrollHeight;
  }, [messages]);
  return log;
}

/** @param {import('ai').UIMessage} message */
function textOf({ parts }) {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** @param {readonly import('ai').UIMessage[]} messages */
function isStopping(messages) {
  const last = messages.at(-1);
  return last !== undefined && answerMetadataOf(last)?.status === 'stopping';
}
