import { call } from './backend.js';
import { composer, titleFrom } from './composer.js';
import { conversationList } from './conversation-list.js';
import { announce, byId, showProblem } from './elements.js';
import { follow } from './follow.js';
import { emptyJournal, fold, statusOf } from './journal.js';
import { createLog } from './log.js';
import { readWallet } from './wallet.js';

const newTitle = 'New conversation';
const refreshAfterMs = 300;
const idPattern = /^#([0-9a-f-]{36})$/;

/**
 * The page of somebody who is signed in: the open conversation, and the list and the wallet beside it. The address's fragment
 * names the open conversation, so that it survives a reload and the back button works.
 * @param {() => void} onSignedOut
 */
export function conversationPage(onSignedOut) {
  const log = createLog(byId('log', HTMLElement), byId('scroll', HTMLElement));
  const title = byId('title', HTMLElement);
  let journal = emptyJournal();
  /** @type {string | null} */
  let openId = null;
  let stopFollowing = () => {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let refreshing;
  const list = conversationList(() => (openId === null ? null : { id: openId, status: statusOf(journal) }));
  const writing = composer({ conversationFor, liveRunId: () => journal.liveRunId });

  /** @param {{ seq?: number, payload: any }} frame */
  function onFrame(frame) {
    for (const item of fold(journal, frame)) log.show(item);
    if (frame.seq === undefined) return; // a word of a message changes nothing else
    showState();
    list.show();
    if (/^(run\.(started|ended)|conversation\.updated)$/.test(frame.payload.type)) refreshSideSoon();
  }

  /** Once for all that a replay brings at once, and when the lists have had the time to learn of it. */
  function refreshSideSoon() {
    clearTimeout(refreshing);
    refreshing = setTimeout(refreshSide, refreshAfterMs);
  }

  function showState() {
    title.textContent = openId === null ? newTitle : (journal.title ?? 'Conversation');
    byId('welcome', HTMLElement).hidden = openId !== null;
    const isLive = journal.liveRunId !== null;
    byId('stop', HTMLElement).hidden = !isLive;
    byId('working', HTMLElement).textContent = !isLive ? '' : journal.isStopping ? 'Stopping…' : 'Working…';
  }

  /** The lists beside the conversation are a courtesy: when they cannot be read, what they show is a little older. */
  function refreshSide() {
    list.refresh().catch(() => undefined);
    readWallet().catch(() => undefined);
  }

  /** @param {boolean} isOpen */
  function onConnection(isOpen) {
    showProblem(byId('connection', HTMLElement), isOpen ? null : 'Connection lost. Reconnecting…');
  }

  /** @param {string | null} id */
  function open(id) {
    stopFollowing();
    openId = id;
    journal = emptyJournal();
    log.clear();
    writing.clearProblem();
    onConnection(true);
    stopFollowing = id === null ? () => {} : follow(id, { onFrame, onConnection, onSignedOut, onMissing: startNew });
    list.show();
    showState();
  }

  async function conversationFor() {
    if (openId !== null) return openId;
    const words = byId('text', HTMLTextAreaElement).value.trim();
    const { id } = await call('POST', '/api/conversations', { title: titleFrom(words) });
    history.pushState(null, '', `#${id}`);
    open(id);
    return id;
  }

  function openFromAddress() {
    const id = idInAddress();
    if (id === openId) return;
    open(id);
    title.focus();
    announce(title.textContent ?? '');
  }

  function startNew() {
    history.pushState(null, '', location.pathname);
    open(null);
    writing.focus();
  }

  return {
    startNew,
    start() {
      refreshSide();
      open(idInAddress());
      addEventListener('hashchange', openFromAddress);
      addEventListener('popstate', openFromAddress);
      writing.focus();
    },
    /** Shows nothing any more; the address stays, for whoever signs in again. */
    stop() {
      removeEventListener('hashchange', openFromAddress);
      removeEventListener('popstate', openFromAddress);
      open(null);
    },
  };
}

/** @returns {string | null} */
function idInAddress() {
  return idPattern.exec(location.hash)?.[1] ?? null;
}
