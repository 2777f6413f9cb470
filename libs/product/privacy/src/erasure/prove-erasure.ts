import { Injectable, Logger } from '@nestjs/common';
import { SignedStatements } from '@app/audit';
import { Clock, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { Probe } from '@app/runtime';
import { LRUCache } from 'lru-cache';
import { Certificates } from './certificates';
import { ClosedEvents, type WordsCounted } from './closed-events';
import type { ErasureCommand, ErasureState } from './erasure.decider';

/** While the log signs nothing, as when it is held, the events of a user are not read again for so long. */
const countedMs = 60_000;
const countedMax = 1_000;

/** The last step of an erasure: counts what is closed, and certifies it, unless an earlier version wrote words in clear. */
@Injectable()
export class ProveErasure {
  private readonly logger = new Logger('Erasure');
  private readonly counted = new LRUCache<UserId, Pick<WordsCounted, 'closed' | 'left'>>({
    max: countedMax,
    ttl: countedMs,
  });

  constructor(
    private readonly statements: SignedStatements,
    private readonly closed: ClosedEvents,
    private readonly certificates: Certificates,
    private readonly gate: ReadGate,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  /** Returns the step to record; null while no checkpoint covers the erasure, or the log signs nothing. @throws Unavailable */
  async take(userId: UserId, state: ErasureState, signal: AbortSignal): Promise<ErasureCommand | null> {
    await this.statements.want();
    if (!(await this.gate.caughtUp())) return null;
    const { closed, left } = this.counted.get(userId) ?? (await this.closed.count(userId, signal));
    this.probe.reached('erasure:step');
    if (left.events > 0) {
      this.logger.warn({ msg: 'words of an erased user are left in clear', userId, ...left });
      return { type: 'RecordWordsLeft', at: this.clock.now(), ...left };
    }
    const certificate = await this.certificates.make(userId, state, closed);
    if (certificate === null) {
      this.counted.set(userId, { closed, left });
      return null;
    }
    this.counted.delete(userId);
    this.probe.reached('erasure:step');
    return { type: 'CompleteErasure', at: this.clock.now(), closedEvents: closed, certificate };
  }
}
