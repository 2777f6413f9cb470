import { Injectable } from '@nestjs/common';
import { conversationKind, erasedRequest, nextQueued, type QueuedInput } from '@app/conversations';
import { EventStore, FoldedStates, streamName, Streams } from '@app/event-store';
import { causeOfEvent, Clock, openOr } from '@app/kernel';
import type { Cause, ConversationId, Instant, ProcessId, Refusal, RunKey } from '@app/kernel';
import { read } from '@app/schema';
import { LRUCache } from 'lru-cache';
import { admissionFailure } from '../admission-failure';
import { Profile } from '../profile.schema';
import { RunAdmission } from '../run-admission';
import { EngineCatalog, resolveProfile } from '../run-profile';

/** How long an admission that may succeed later is tried again by one process, by the service clock (decisions, section 16). */
const triedForMs = 15 * 60_000;
/** Most runs that one call ends or starts: more than a queue has. */
const turnsMax = 16;
/** Most runs whose first refusal is remembered; one that is forgotten is tried for longer. */
const rememberedMax = 10_000;

/** Starts the next run of a conversation's queue. May run many times at once: the conversation starts each run once. */
@Injectable()
export class StartNext {
  /** When each was first refused here: an outage before counts for nothing. */
  private readonly refusedAtMs = new LRUCache<RunKey, number>({ max: rememberedMax });

  constructor(
    private readonly store: EventStore,
    private readonly states: FoldedStates,
    private readonly streams: Streams,
    private readonly admission: RunAdmission,
    private readonly offer: EngineCatalog,
    private readonly clock: Clock,
  ) {}

  /**
   * Starts the first run that can be admitted; those before it that never can be end as failed. Returns null, or for how many milliseconds
   * the first one has been refused, if it is to be tried again. @throws Unavailable
   */
  async in(conversationId: ConversationId): Promise<number | null> {
    for (let turns = 0; turns < turnsMax; turns += 1) {
      const { state } = await this.states.fresh(conversationKind, conversationId);
      const next = nextQueued(state);
      if (next === null) return null;
      const cause = await this.causeOf(conversationId, next);
      const refusal = await this.start(conversationId, next, cause);
      // The end of the other run has this one started.
      if (refusal === null || (refusal.kind === 'reason' && refusal.reason === 'run_active')) return null;
      const { why, canPass } = admissionFailure(refusal);
      const triedMs = this.triedFor(next);
      if (canPass && triedMs < triedForMs) return triedMs;
      const command = { type: 'RefuseQueued', at: this.clock.now(), runId: next.runId, why } as const;
      await this.streams.decide(conversationKind, conversationId, command, cause);
    }
    return null;
  }

  private triedFor({ runKey }: QueuedInput): number {
    const nowMs = this.clock.epochMs();
    const firstMs = this.refusedAtMs.get(runKey) ?? nowMs;
    this.refusedAtMs.set(runKey, firstMs);
    return nowMs - firstMs;
  }

  /** Returns why the run did not start; null if it did. */
  private async start(conversationId: ConversationId, next: QueuedInput, cause: Cause): Promise<Refusal | null> {
    const { runId, runKey, userId, messageId } = next;
    const request = openOr(next.request, erasedRequest);
    const asked = request.profile === undefined ? undefined : read(Profile, request.profile);
    if (asked?.ok === false) return asked.refusal;
    const resolved = resolveProfile(asked?.value, this.offer);
    if (!resolved.ok) return resolved.refusal;
    const origin = { origin: 'user', automationId: null, occurrenceId: null, alone: true } as const;
    const ids = { runId, runKey, userId, messageId };
    const begin = (at: Instant, holder: ProcessId | null) =>
      ({ type: 'StartRun', at, holder, request, ...ids, ...origin, ...resolved.value }) as const;
    const admitted = await this.admission.admit({ runId, runKey, userId, conversationId, cause }, begin, {
      chosenId: false,
      hurried: true,
    });
    return admitted.ok ? null : admitted.refusal;
  }

  /** A run carries the request id of the call that queued it. */
  private async causeOf(conversationId: ConversationId, { seq }: QueuedInput): Promise<Cause> {
    const [queued] = await this.store.readStream(streamName(conversationKind, conversationId), seq - 1, 1);
    if (queued === undefined) throw new Error(`the journal of ${conversationId} has no event ${seq}`);
    return causeOfEvent('queue', queued);
  }
}
