import { createHash } from 'node:crypto';
import { fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';

/** The orders of every user, because the example has no shop. */
const goods = ['A pair of socks', 'A teapot', 'Three lemons'];

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {string} what
 * @property {'open' | 'cancelled'} status
 *
 * @typedef {object} Done the outcome of a call; a line of the file
 * @property {string} userId
 * @property {string} callId
 * @property {string} orderId
 * @property {boolean} cancelled whether this call cancelled the order
 * @property {string} answer the answer to the caller, whether or not it arrived
 */

/**
 * The orders of all users. A file records the effects: each line has the effect of a call and its answer, both or neither, and is on
 * disk before the call is answered. A repeated call, after an answer was lost or this process was killed, gets the first answer.
 * Only one process may write the file; nothing here is asynchronous, so calls run one after the other.
 * @param {string} path
 */
export function openOrders(path) {
  const file = openSync(path, 'a+', 0o600);
  const lines = wholeLines(file);
  /** @type {Map<string, Done>} by user and call */
  const calls = new Map();
  /** @type {Set<string>} by user and order */
  const cancelled = new Set();
  for (const line of lines) apply(JSON.parse(line));

  /** @param {Done} done */
  function apply(done) {
    calls.set(keyOf(done.userId, done.callId), done);
    if (done.cancelled) cancelled.add(keyOf(done.userId, done.orderId));
  }

  /** @param {Done} done */
  function record(done) {
    writeSync(file, `${JSON.stringify(done)}\n`);
    fsyncSync(file);
    apply(done);
  }

  return {
    /**
     * @param {string} userId
     * @returns {Order[]}
     */
    list(userId) {
      return ordersOf(userId).map((order) => ({
        ...order,
        status: cancelled.has(keyOf(userId, order.id)) ? 'cancelled' : 'open',
      }));
    },

    /**
     * Cancels an order of the caller, once.
     * @param {import('./callers.js').Caller} caller
     * @param {string} orderId
     * @returns {string} the outcome
     */
    cancel({ userId, callId }, orderId) {
      const before = calls.get(keyOf(userId, callId));
      if (before !== undefined) return before.answer;
      const order = ordersOf(userId).find(({ id }) => id === orderId);
      if (order === undefined) return 'There is no such order.';
      const isOpen = !cancelled.has(keyOf(userId, orderId));
      const answer = isOpen ? `Order ${orderId} is cancelled.` : `Order ${orderId} was cancelled before.`;
      record({ userId, callId, orderId, cancelled: isOpen, answer });
      return answer;
    },
  };
}

/**
 * Returns the complete lines of the file. An incomplete line, from a process that was killed while writing, is removed, because its
 * call was not answered.
 * @param {number} file
 */
function wholeLines(file) {
  const text = readFileSync(file, 'utf8');
  const end = text.lastIndexOf('\n') + 1;
  ftruncateSync(file, Buffer.byteLength(text.slice(0, end)));
  return text.slice(0, end).split('\n').filter(Boolean);
}

/** @param {string} userId */
function ordersOf(userId) {
  const mark = createHash('sha256').update(userId).digest('hex').slice(0, 6).toUpperCase();
  return goods.map((what, index) => ({ id: `${mark}-${index + 1}`, what }));
}

/**
 * Returns a key that is unique for the two ids.
 * @param {string} userId
 * @param {string} id
 */
function keyOf(userId, id) {
  return JSON.stringify([userId, id]);
}
