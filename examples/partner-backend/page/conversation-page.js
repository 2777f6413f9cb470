import { call } from './backend.js';
import { composer, titleFrom } from './composer.js';
import { conversationList } from './conversation-list.js';
import { announce, byId, showProblem } from './elements.js';
import { follow } from './follow.js';
import { emptyJournal, fold, statusOf } from './journal.js';
import { createLog } from './log.js';
import { waitingList } from './waiting.js';
import { clearWallet, readWallet } from './wallet.js';

const refreshAfterMs = 300;
const idPattern = /^#([0-9a-f-]{36})$/;
/** After these the lists at the side have something new. */
const tellsTheSide = /^(run\.(started|ended)|conversation\.updated)$/;

/**
 * The page of somebody who is signed in: the open conversation, and the list and the wallet beside it. The address's fragment
 * names the open conversation, so that it survives a reload and the back button works.
 */
export class ConversationPage {
  #log = createLog(byId('log', HTMLElement), byId('scroll', HTMLElement));
  #list = conversationList(() => this.#opened());
  #waiting = waitingList();
  #writing = composer({
    conversationFor: (words) => this.#conversationFor(words),
    liveRunId: () => this.#journal.liveRunId,
  });
  #journal = emptyJournal();
  /** @type {string | null} */
  #openId = null;
  #stopFollowing = () => {};
  #isShown = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #refreshing;
  #onSignedOut;

  /** @param {() => void} onSignedOut the session is over, no matter who ended it */
  constructor(onSignedOut) {
    this.#onSignedOut = onSignedOut;
    addEventListener('hashchange', () => this.#openFromAddress());
    addEventListener('popstate', () => this.#openFromAddress());
  }

  /** Shows what the address names. */
  start() {
    this.#isShown = true;
    this.#refreshSide();
    this.#open(idInAddress());
    this.#writing.focus();
  }

  /** Shows nothing any more; the address stays, for the user who signs in again. */
  stop() {
    this.#isShown = false;
    this.#open(null);
    clearTimeout(this.#refreshing);
    this.#list.clear();
    this.#waiting.clear();
    clearWallet();
  }

  startNew() {
    history.pushState(null, '', location.pathname);
    this.#open(null);
    this.#writing.focus();
  }

  /** @param {string | null} id null: a conversation that is made with its first message */
  #open(id) {
    this.#stopFollowing();
    this.#openId = id;
    this.#journal = emptyJournal();
    this.#log.clear();
    this.#writing.clearProblem();
    this.#showConnection(true);
    this.#stopFollowing = id === null ? () => {} : this.#follow(id);
    this.#list.show();
    this.#showState();
  }

  /** @param {string} id */
  #follow(id) {
    return follow(id, {
      onFrame: (frame) => this.#onFrame(frame),
      onConnection: (isOpen) => this.#showConnection(isOpen),
      onSignedOut: this.#onSignedOut,
      onMissing: () => this.startNew(),
    });
  }

  /** @param {import('@parley/client').JournalFrame} frame */
  #onFrame(frame) {
    for (const item of fold(this.#journal, frame)) this.#log.show(item);
    if (frame.delivery === 'live') return; // a word of a message changes nothing else
    this.#showState();
    this.#list.show();
    if (!tellsTheSide.test(frame.payload.type)) return;
    // Once for all that a replay brings at once, and when the lists have had the time to learn of it.
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => this.#refreshSide(), refreshAfterMs);
  }

  #showState() {
    const { title, liveRunId, isStopping } = this.#journal;
    byId('title', HTMLElement).textContent = this.#openId === null ? 'New conversation' : (title ?? 'Conversation');
    byId('welcome', HTMLElement).hidden = this.#openId !== null;
    byId('stop', HTMLElement).hidden = liveRunId === null;
    byId('working', HTMLElement).textContent = liveRunId === null ? '' : isStopping ? 'Stopping…' : 'Working…';
  }

  /** @param {boolean} isOpen */
  #showConnection(isOpen) {
    showProblem(byId('connection', HTMLElement), isOpen ? null : 'Connection lost. Reconnecting…');
  }

  /** The lists beside the conversation are a courtesy: when they cannot be read, what they show is a little older. */
  #refreshSide() {
    if (!this.#isShown) return;
    this.#list.refresh().catch(() => undefined);
    this.#waiting.refresh().catch(() => undefined);
    readWallet().catch(() => undefined);
  }

  #opened() {
    return this.#openId === null ? null : { id: this.#openId, status: statusOf(this.#journal) };
  }

  /** @param {string} words the first message of a conversation that is still to be made */
  async #conversationFor(words) {
    if (this.#openId !== null) return this.#openId;
    const { id } = await call('POST', '/api/conversations', { title: titleFrom(words) });
    history.pushState(null, '', `#${id}`);
    this.#open(id);
    return String(id);
  }

  #openFromAddress() {
    const id = idInAddress();
    if (!this.#isShown || id === this.#openId) return;
    this.#open(id);
    const title = byId('title', HTMLElement);
    title.focus();
    announce(title.textContent ?? '');
  }
}

/** @returns {string | null} */
function idInAddress() {
  return idPattern.exec(location.hash)?.[1] ?? null;
}
