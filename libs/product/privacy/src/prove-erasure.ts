import { Injectable, Logger } from '@nestjs/common';
import { SignedStatements } from '@app/audit';
import { Clock, type UserId } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { Probe } from '@app/runtime';
import { Certificates } from './certificates';
import { ClosedEvents } from './closed-events';
import type { ErasureCommand, ErasureState } from './erasure.decider';

/** The last step of an erasure: counts what is closed, and certifies it, unless an earlier version wrote words in clear. */
@Injectable()
export class ProveErasure {
  private readonly logger = new Logger('Erasure');

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
    const { closed, left } = await this.closed.count(userId, signal);
    this.probe.reached('erasure:step');
    if (left.events > 0) {
      this.logger.warn({ msg: 'words of an erased user are left in clear', userId, ...left });
      return { type: 'RecordWordsLeft', at: this.clock.now(), ...left };
    }
    const certificate = await this.certificates.make(userId, state, closed);
    if (certificate === null) return null;
    this.probe.reached('erasure:step');
    return { type: 'CompleteErasure', at: this.clock.now(), closedEvents: closed, certificate };
  }
}
