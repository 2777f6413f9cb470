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
/** Events that change the lists at the side. */
const tellsTheSide = /^(run\.(started|ended)|conversation\.updated)$/;

/**
 * The page of a signed-in user: the open conversation, with the list and the wallet at its side. The address's fragment names the
 * open conversation, so that it survives a reload and the back button works.
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

  /** @param {() => void} onSignedOut called when the session is over, for whatever reason */
  constructor(onSignedOut) {
    this.#onSignedOut = onSignedOut;
    addEventListener('hashchange', () => this.#openFromAddress());
    addEventListener('popstate', () => this.#openFromAddress());
  }

  /** Shows the conversation that the address names. */
  start() {
    this.#isShown = true;
    this.#refreshSide();
    this.#open(idInAddress());
    this.#writing.focus();
  }

  /** Clears the page; the address is kept, for when the user signs in again. */
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

  /** @param {string | null} id null: a conversation that its first message will create */
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
    if (frame.delivery === 'live') return; // text of a message changes nothing else
    this.#showState();
    this.#list.show();
    if (!tellsTheSide.test(frame.payload.type)) return;
    // Once for all events of a replay, and after a delay in which the lists are updated.
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

  /** Refreshes the lists at the side. If they cannot be read, they show slightly older data, which is acceptable. */
  #refreshSide() {
    if (!this.#isShown) return;
    this.#list.refresh().catch(() => undefined);
    this.#waiting.refresh().catch(() => undefined);
    readWallet().catch(() => undefined);
  }

  #opened() {
    return this.#openId === null ? null : { id: this.#openId, status: statusOf(this.#journal) };
  }

  /** @param {string} words the first message, for which a conversation may have to be created */
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
