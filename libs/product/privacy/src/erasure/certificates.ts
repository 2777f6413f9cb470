import { Injectable } from '@nestjs/common';
import { SignedStatements } from '@app/audit';
import { EventStore, streamName, type ReceivedEvent } from '@app/event-store';
import { Clock, type Instant, type UserId } from '@app/kernel';
import { erasureText, type ErasureStatement } from '@app/transparency';
import type { ErasureState } from './erasure.decider';
import { erasureKind } from './erasure.stream';

/** More events than an erasure has before it is completed, unless words were left over and over. */
const eventsMax = 100;
/** The steps that a certificate proves, each by the last event of its type. */
const proven = ['erasure.requested', 'erasure.keys_destroyed', 'erasure.purged'];
/** How long one try waits for a checkpoint; the next one follows soon. */
const checkpointWithinMs = 1_500;

/** Makes certificates of erasures: statements signed by the log's key, with proofs of what the log has of them. */
@Injectable()
export class Certificates {
  constructor(
    private readonly statements: SignedStatements,
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the certificate, as a signed note; null while no checkpoint covers the erasure, or the log signs nothing.
   * @throws Unavailable
   */
  async make(userId: UserId, state: ErasureState, closedEvents: number): Promise<string | null> {
    const { requestedAt, destroyed, purged } = state;
    if (requestedAt === null || destroyed === null || purged === null) throw new Error('the erasure is not that far');
    const [origin, events] = [await this.statements.origin(), await this.eventsOf(userId)];
    const stated = origin === null ? null : await this.statements.state(events, checkpointWithinMs);
    if (origin === null || stated === null) return null;
    const before = earlierOf(destroyed.checkpoint, origin);
    const at: Instant = this.clock.now();
    const statement: ErasureStatement = {
      log: origin,
      userId,
      requestedAt,
      keysDestroyedAt: destroyed.at,
      purgedAt: purged.at,
      certifiedAt: at,
      keys: destroyed.keys,
      operationsInFlight: destroyed.operationsInFlight,
      purged: { ...purged.purged },
      keyTable: purged.keyTable,
      closedEvents,
      before: before?.note ?? null,
      after: stated.checkpoint.note,
      consistency: before === null ? [] : await this.statements.consistency(before.size, stated.checkpoint.size),
      events: stated.events,
    };
    return this.statements.sign(erasureText(statement));
  }

  private async eventsOf(userId: UserId): Promise<ReceivedEvent[]> {
    const all = await this.store.readStreamRaw(streamName(erasureKind, userId), 0, eventsMax);
    return proven.flatMap((type) => all.findLast((event) => event.type === type) ?? []);
  }
}

/** The checkpoint from before the keys were destroyed; null if there was none, or if the log had another name then. */
function earlierOf(note: string | null, origin: string) {
  const [name, size] = note?.split('\n') ?? [];
  return note === null || name !== origin ? null : { note, size: Number(size) };
}
