import { useEffect, useRef } from 'react';

/**
 * Keeps the messages of a chat up to date while no answer streams: settlements, decisions made elsewhere, automations. Updates that
 * arrive while an answer streams are applied when it is over.
 * @param {import('@ai-sdk/react').UseChatHelpers<import('@parley/client/ai-sdk').ParleyUIMessage>} chat
 * @param {number} seq the `seq` up to which the page was loaded
 * @param {import('./shell.jsx').Tools} tools
 */
export function useUpdates(chat, seq, { transport, fail, refresh }) {
  const { id, status, setMessages } = chat;
  /** @type {import('react').RefObject<Map<string, import('@parley/client/ai-sdk').ParleyUIMessage>>} */
  const waiting = useRef(new Map());
  const isIdle = useRef(true);

  useEffect(() => {
    isIdle.current = status === 'ready' || status === 'error';
    if (isIdle.current) take();
  }, [status]);

  useEffect(() => {
    const left = new AbortController();
    async function watch() {
      for await (const update of transport.watch(id, seq, left.signal)) {
        waiting.current.set(update.id, update);
        if (isIdle.current) take();
        refresh();
      }
    }
    watch().catch(fail);
    return () => left.abort();
  }, [id, seq, transport, fail, refresh]);

  function take() {
    const updates = [...waiting.current.values()];
    waiting.current.clear();
    if (updates.length === 0) return;
    setMessages((messages) => updates.reduce((newest, update) => transport.withUpdate(newest, update), messages));
  }
}
