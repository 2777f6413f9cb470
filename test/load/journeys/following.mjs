// Waiting for events of a conversation.
import { once } from 'node:events';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failed } from '../client.mjs';

const eventWithinMs = 120_000;
const reopenPauseMs = 100;

/**
 * Follows a conversation, over as many connections as needed, until `find` returns something for an event. Returns
 * that.
 * @throws Failed if that takes too long, or events arrive out of order
 */
export async function untilEvent(operation, conversationId, find) {
  const follower = new Follower(operation, conversationId);
  try {
    return await follower.until(find);
  } finally {
    follower.close();
  }
}

/** Follows one conversation, and reconnects after the last event whenever the stream ends. */
export class Follower {
  lastSeq = 0;
  isOver = false;
  stream = null;
  /** Events that `until` has not examined yet. */
  events = [];
  coming = new EventEmitter();
  fault = null;

  constructor(operation, conversationId) {
    this.operation = operation;
    this.conversationId = conversationId;
    this.following = this.follow();
  }

  /**
   * Returns the first result of `find` that is neither undefined nor null, over the events that were not examined yet.
   */
  async until(find) {
    const signal = AbortSignal.timeout(eventWithinMs);
    for (;;) {
      while (this.events.length > 0) {
        const found = find(this.events.shift());
        if (found !== undefined && found !== null) return found;
      }
      if (this.fault !== null) throw this.fault;
      if (signal.aborted) throw new Failed(`an event of a conversation did not come within ${eventWithinMs} ms`);
      await once(this.coming, 'news', { signal }).catch(() => undefined); // the loop checks the cause
    }
  }

  /** Breaks the connection, as a network failure would. */
  disconnect() {
    this.stream?.close();
  }

  close() {
    this.isOver = true;
    this.disconnect();
  }

  async follow() {
    const { user } = this.operation;
    while (!this.isOver) {
      try {
        this.stream = await this.operation.insist(() =>
          user.follow(this.conversationId, this.lastSeq, (event) => this.take(event)),
        );
        if (this.isOver) this.stream.close();
        await this.stream.ended;
      } catch (error) {
        return this.fail(error);
      }
      if (!this.isOver) await sleep(reopenPauseMs);
    }
  }

  take(event) {
    if (this.isOver) return;
    if (event.seq !== this.lastSeq + 1) this.fail(new Failed(`after event ${this.lastSeq} came ${event.seq}`));
    this.lastSeq = event.seq;
    this.events.push(event);
    this.coming.emit('news');
  }

  fail(error) {
    this.fault ??= error;
    this.isOver = true;
    this.stream?.close();
    this.coming.emit('news');
  }
}

/** For `untilEvent`: matches the end of this run. */
export const endOf =
  (runId) =>
  ({ payload }) =>
    payload.type === 'run.ended' && payload.runId === runId ? payload : null;
