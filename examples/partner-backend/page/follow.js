import { call } from './backend.js';

const openAgainAfterMs = 3_000;

/**
 * Follows a conversation's journal until it is ended. The browser itself reconnects a broken connection and sends its position
 * (`Last-Event-ID`); after a refusal, on which it gives up, the reason is requested and the stream reopened at the same position.
 * @param {string} conversationId
 * @param {object} listener
 * @param {(frame: import('@parley/client').JournalFrame) => void} listener.onFrame
 * @param {(isOpen: boolean) => void} listener.onConnection
 * @param {() => void} listener.onSignedOut
 * @param {() => void} listener.onMissing there is no such conversation, or it is another user's
 * @returns {() => void} ends following
 */
export function follow(conversationId, { onFrame, onConnection, onSignedOut, onMissing }) {
  let lastSeq = 0;
  let isWanted = true;
  /** @type {EventSource | undefined} */
  let source;

  function open() {
    source = new EventSource(`/api/conversations/${conversationId}/stream?after=${lastSeq}`);
    source.onopen = () => onConnection(true);
    source.onmessage = ({ data }) => {
      /** @type {import('@parley/client').JournalFrame} */
      const frame = JSON.parse(data);
      if (frame.delivery === 'durable') lastSeq = frame.seq;
      onFrame(frame);
    };
    source.onerror = () => {
      onConnection(false);
      if (source?.readyState === EventSource.CLOSED) setTimeout(() => void openAgain(), openAgainAfterMs);
    };
  }

  async function openAgain() {
    if (!isWanted) return;
    const reason = await call('GET', `/api/conversations/${conversationId}`).then(
      () => null,
      (problem) => problem.reason,
    );
    if (!isWanted) return;
    if (reason === 'not_signed_in') onSignedOut();
    else if (reason === 'not_found') onMissing();
    else open();
  }

  open();
  return () => {
    isWanted = false;
    source?.close();
  };
}
