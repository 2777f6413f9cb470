import { Injectable, Logger } from '@nestjs/common';
import { budgetKind } from '@app/budget';
import { conversationKind, nextQueued } from '@app/conversations';
import { EventStore, FoldedStates } from '@app/event-store';
import { failureWords, type ConversationId } from '@app/kernel';
import { Database, keepLeading } from '@app/read-store';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import { idsIn } from '../segments/gone-segments';
import { SegmentClosing } from '../segments/segment-closing';
import { StartNext } from './start-next';

/** The pause between two sweeps of the one process that makes them. Real time. */
const sweepEveryMs = 2_000;
/** The shortest and the longest pause between two attempts for one conversation, in real time. */
const pauseFirstMs = 1_000;
const pauseLastMs = 30_000;
/** Most conversations of one sweep. */
const foundAtOnceMax = 200;
/** Starts of one sweep at once, and about how long it may go on. */
const atOnceMax = 8;
const roundMs = 10_000;
/** Most conversations that pause at once; one that is forgotten is tried sooner. */
const pausingMax = 10_000;

/**
 * Starts the runs that wait in the queues of conversations, in order (docs/decisions/runs.md, "Queue"): after each segment that this process
 * closes, and by sweeps, which find what a crash left and what was refused.
 */
@Injectable()
export class QueuedRuns {
  private readonly logger = new Logger(QueuedRuns.name);
  private readonly pausing = new LRUCache<string, true>({ max: pausingMax });
  private readonly looks = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly states: FoldedStates,
    private readonly starts: StartNext,
    closing: SegmentClosing,
  ) {
    closing.onClosed = (conversationId) => this.look(conversationId);
  }

  /** Starts the next run of the conversation without waiting for it. Costs nothing where this process knows of none that waits. */
  look(conversationId: ConversationId): void {
    const known = this.states.peek(conversationKind, conversationId);
    if (known == null || nextQueued(known.state) === null) return;
    const look: Promise<void> = this.startOrLog(conversationId).finally(() => this.looks.delete(look));
    this.looks.add(look);
  }

  /** Sweeps every two seconds, in one process of the deployment, until the signal aborts; then waits for the looks of this process. */
  async run(signal: AbortSignal): Promise<void> {
    await keepLeading(this.database.leaderSession, 'queue', signal, async (leading) => {
      while (!leading.aborted) {
        await this.sweep(leading);
        await sleep(sweepEveryMs, undefined, { signal: leading }).catch(() => undefined); // aborted: the loop ends
      }
    });
    await Promise.all(this.looks);
  }

  /** Tries some at once, and no longer than a round may take; a failure of one does not hold up the others. */
  private async sweep(signal: AbortSignal): Promise<void> {
    const giveUpAtMs = performance.now() + roundMs;
    const waiting = await this.waiting();
    for (let from = 0; from < waiting.length && performance.now() < giveUpAtMs && !signal.aborted; from += atOnceMax) {
      const some = waiting.slice(from, from + atOnceMax);
      await Promise.all(some.map((conversationId) => this.startOrLog(conversationId)));
    }
  }

  private async startOrLog(conversationId: ConversationId): Promise<void> {
    try {
      await this.start(conversationId);
    } catch (error) {
      this.logger.warn(`a queued run is started later: ${failureWords(error)}`);
    }
  }

  private async start(conversationId: ConversationId): Promise<void> {
    const triedMs = await this.starts.in(conversationId);
    if (triedMs === null) return;
    const ttl = Math.min(Math.max(pauseFirstMs, triedMs / 4), pauseLastMs);
    this.pausing.set(conversationId, true, { ttl });
  }

  /**
   * Conversations in which a run waits and no other is open, the users in turn, the oldest of each first; none that pauses, is damaged, or is
   * of a user whose budget is.
   */
  private async waiting(): Promise<ConversationId[]> {
    const { all } = this.store.damaged;
    const rows = await this.database.query<{ readonly id: ConversationId }>(
      `SELECT id FROM (
         SELECT conversation_id AS id, min(opened_position) AS opened,
           row_number() OVER (PARTITION BY user_id ORDER BY min(opened_position)) AS turn
         FROM {runs} AS waiting WHERE status = 'waiting'
           AND conversation_id <> ALL($2::uuid[]) AND user_id <> ALL($3::uuid[]) AND NOT EXISTS (
             SELECT 1 FROM {runs} AS open WHERE open.conversation_id = waiting.conversation_id
               AND open.status IN ('queued', 'running', 'stopping', 'awaiting_approval'))
         GROUP BY user_id, conversation_id) AS found
       ORDER BY turn, opened LIMIT $1`,
      [foundAtOnceMax, [...this.pausing.keys(), ...idsIn(conversationKind, all)], idsIn(budgetKind, all)],
    );
    return rows.map(({ id }) => id);
  }
}
