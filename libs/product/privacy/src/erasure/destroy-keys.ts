import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { SignedStatements } from '@app/audit';
import { Clock, epochMsOf, type Cause, type UserId } from '@app/kernel';
import { KeyErasure } from '@app/read-store';
import { Probe } from '@app/runtime';
import { EraseEarlierIdentity } from '@app/users';
import { Endings } from './endings';
import { moneyWaitMs, type ErasureCommand, type ErasureState } from './erasure.decider';

/** Time for ending things before the keys are destroyed; the remainder is ended after that, since no ending needs them. */
const endBeforeMs = 300;
/** A checkpoint that is wanted is usually made in so long. Without one the erasure goes on. */
const checkpointWithinMs = 200;

/** The first step of an erasure: closes the account, and destroys its keys once no money is in flight. */
@Injectable()
export class DestroyKeys {
  private readonly logger = new Logger('Erasure');

  constructor(
    private readonly statements: SignedStatements,
    private readonly endings: Endings,
    private readonly commands: CommandBus,
    private readonly keys: KeyErasure,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  /** Returns the step to record; null while money is in flight. @throws Unavailable */
  async take(
    userId: UserId,
    { requestedAt }: ErasureState,
    cause: Cause,
    signal: AbortSignal,
  ): Promise<ErasureCommand | null> {
    await this.statements.want();
    this.probe.reached('erasure:step');
    await this.endings.close(userId, cause);
    this.probe.reached('erasure:step');
    await this.commands.execute(new EraseEarlierIdentity(userId));
    await this.endings.end(userId, cause, endBeforeMs, signal);
    this.probe.reached('erasure:step');
    const inFlight = await this.endings.money(userId, cause);
    const waitedMs = this.clock.epochMs() - (requestedAt === null ? 0 : epochMsOf(requestedAt));
    if (inFlight.length > 0 && waitedMs < moneyWaitMs) return null;
    const checkpoint = await this.statements.newestWithin(checkpointWithinMs);
    this.probe.reached('erasure:step');
    const keys = await this.keys.destroy(userId);
    this.probe.reached('erasure:step');
    this.logger.log({ msg: 'the keys of a user are destroyed', userId, ...keys });
    const facts = { keys, operationsInFlight: inFlight.length, checkpoint: checkpoint?.note ?? null };
    return { type: 'RecordKeysDestroyed', at: this.clock.now(), ...facts };
  }
}
