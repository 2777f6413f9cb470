// The items of a conversation, folded from its journal. Pure: the same frames give the same items, whenever they arrive.
import { erasedText, wordsOr } from './erased.js';

/**
 * @typedef {import('@parley/client').JournalFrame} Frame
 * @typedef {Frame['payload']} Event
 *
 * @typedef {{ kind: 'said', key: string, by: 'user' | 'agent', text: string, complete: boolean }} Said
 * @typedef {{ kind: 'tool', key: string, tool: string, outcome: string | null }} Tool
 * @typedef {object} Asked an approval and its outcome
 * @property {'approval'} kind
 * @property {string} key
 * @property {string} approvalId
 * @property {'pending' | 'approved' | 'denied' | 'expired'} status
 * @property {string | null} operationId set once the approved action was submitted
 * @property {string | null} runId
 * @property {boolean} isOver its run has ended
 * @property {'settled' | 'failed' | null} settlement the only evidence that money moved
 * @typedef {{ kind: 'note', key: string, text: string, isProblem: boolean }} Note
 * @typedef {Said | Tool | Asked | Note} Item
 *
 * @typedef {object} Journal
 * @property {number} lastSeq all events up to this one are folded in
 * @property {string | null} title
 * @property {string | null} liveRunId the run that works now; one that waits for an approval does not
 * @property {boolean} isStopping
 * @property {Map<string, Item>} items in the order in which they are shown
 */

/** @returns {Journal} */
export function emptyJournal() {
  return { lastSeq: 0, title: null, liveRunId: null, isStopping: false, items: new Map() };
}

/**
 * Returns the status as `conversations.list` names it.
 * @param {Journal} journal
 * @returns {import('@parley/client').ConversationStatus}
 */
export function statusOf({ liveRunId, items }) {
  if (liveRunId !== null) return 'running';
  const isAsking = [...items.values()].some((item) => item.kind === 'approval' && item.status === 'pending');
  return isAsking ? 'awaiting_approval' : 'idle';
}

/**
 * Folds one frame.
 * @param {Journal} journal
 * @param {Frame} frame
 * @returns {Item[]} the items that are new or have changed
 */
export function fold(journal, frame) {
  if (frame.delivery === 'durable') {
    if (frame.seq <= journal.lastSeq) return []; // received before the connection was lost
    journal.lastSeq = frame.seq;
  }
  const changed = change(journal, frame.payload);
  for (const item of changed) journal.items.set(item.key, item);
  return changed;
}

/**
 * @param {Journal} journal
 * @param {Event} event
 * @returns {Item[]}
 */
function change(journal, event) {
  switch (event.type) {
    case 'conversation.created':
    case 'conversation.updated':
      journal.title = wordsOr(event.title, erasedText);
      return [];
    case 'run.started':
      journal.liveRunId = event.runId;
      journal.isStopping = false;
      return [said(`run ${event.runId}`, 'user', asking(event), true)];
    case 'run.resumed':
      journal.liveRunId = event.runId;
      return [];
    case 'run.stopping':
      journal.isStopping = true;
      return [];
    case 'run.suspended':
      journal.liveRunId = null;
      return [];
    case 'run.ended':
      return runEnded(journal, event);
    case 'agent.text_delta':
      return spoken(journal, event);
    case 'agent.message':
      return [said(messageKey(event), 'agent', wordsOr(event.text, erasedText), true)];
    default:
      return toolOrMoney(journal, event);
  }
}

/**
 * @param {Journal} journal
 * @param {Event} event
 * @returns {Item[]}
 */
function toolOrMoney(journal, event) {
  switch (event.type) {
    case 'tool.called':
      return [{ kind: 'tool', key: `tool ${event.toolCallId}`, tool: event.tool, outcome: null }];
    case 'tool.returned': {
      const call = journal.items.get(`tool ${event.toolCallId}`);
      return call?.kind === 'tool' ? [{ ...call, outcome: event.outcome }] : [];
    }
    case 'approval.opened':
      return [asked(event.approvalId, event.runId)];
    case 'approval.decided':
      return [{ ...approval(journal, event.approvalId), status: event.status }];
    case 'approval.expired':
      return [{ ...approval(journal, event.approvalId), status: 'expired' }];
    case 'operation.submitted':
      return [{ ...approval(journal, event.approvalId), operationId: event.operationId }];
    case 'settlement.updated': {
      const settled = [...journal.items.values()].find((item) => isOf(item, event.operationId));
      return settled?.kind === 'approval' ? [{ ...settled, settlement: event.status }] : [];
    }
    case 'artifact.uploaded':
      return [note(event.artifactId, `File added: ${wordsOr(event.name, erasedText)}`)];
    case 'automation.triggered':
      return [note(event.occurrenceId, 'Started by one of your automations')];
    default:
      return []; // nothing to show: conversation.archived, run.claimed, agent.step
  }
}

/**
 * Handles live text of a message. After the whole message was recorded, its live text is late, and dropped.
 * @param {Journal} journal
 * @param {Extract<Event, { type: 'agent.text_delta' }>} delta
 * @returns {Item[]}
 */
function spoken(journal, delta) {
  const message = journal.items.get(messageKey(delta));
  if (message?.kind !== 'said') return [said(messageKey(delta), 'agent', delta.text, false)];
  return message.complete ? [] : [{ ...message, text: message.text + delta.text }];
}

/**
 * @param {Journal} journal
 * @param {Extract<Event, { type: 'run.ended' }>} event
 * @returns {Item[]}
 */
function runEnded(journal, { runId, status, failure }) {
  if (journal.liveRunId === runId) journal.liveRunId = null;
  journal.isStopping = false;
  /** @type {Item[]} */
  const changed = [];
  for (const item of journal.items.values()) {
    if (item.kind === 'said' && !item.complete) changed.push({ ...item, complete: true });
    if (item.kind === 'approval' && item.runId === runId) changed.push({ ...item, isOver: true });
  }
  if (status === 'failed') return [...changed, note(runId, failure?.text ?? 'It failed', true)];
  return status === 'aborted' ? [...changed, note(runId, 'Stopped')] : changed;
}

/** @param {Extract<Event, { type: 'run.started' }>} event */
const asking = ({ request }) => wordsOr(request, { input: { text: erasedText } }).input.text;

/** @param {{ messageId: string }} event */
const messageKey = ({ messageId }) => `message ${messageId}`;

/**
 * @param {string} key
 * @param {'user' | 'agent'} by
 * @param {string} text
 * @param {boolean} complete
 * @returns {Said}
 */
const said = (key, by, text, complete) => ({ kind: 'said', key, by, text, complete });

/**
 * @param {string} id
 * @param {string} text
 * @returns {Note}
 */
const note = (id, text, isProblem = false) => ({ kind: 'note', key: `note ${id}`, text, isProblem });

/**
 * @param {string} approvalId
 * @param {string | null} runId
 * @returns {Asked}
 */
export function asked(approvalId, runId) {
  const key = `approval ${approvalId}`;
  const nothingYet = { operationId: null, settlement: null, isOver: false };
  return { kind: 'approval', key, approvalId, runId, status: 'pending', ...nothingYet };
}

/**
 * @param {Journal} journal
 * @param {string} approvalId
 */
function approval(journal, approvalId) {
  const item = journal.items.get(`approval ${approvalId}`);
  return item?.kind === 'approval' ? item : asked(approvalId, null);
}

/**
 * @param {Item} item
 * @param {string} operationId
 */
const isOf = (item, operationId) => item.kind === 'approval' && item.operationId === operationId;
