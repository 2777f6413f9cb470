import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { causeOfService, Clock, failureWords } from '@app/kernel';
import { Probe } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { DisableEndpoint } from '../endpoint/endpoint-commands';
import { leaseMs, type Claim } from './claims';
import { DeliveryCounts } from './delivery-metrics';
import { Messages } from './sign-message';
import { AttemptOutcomes, type Attempt } from './attempt-outcomes';
import { answerWithinMs, Sender } from './sender';
import type { Consequence, Outcome } from './retry-policy';

/** Maximum age of a claim when its attempt begins; an older one is left to others, because it would expire before the attempt ends. */
const beginWithinMs = leaseMs - answerWithinMs - 3_000;
/** Delay for a lane whose event or keys cannot be read now. By the service clock. */
const unreadableForMs = 1_000;
const recordAgainMs = 500;

/** Attempts the delivery of a claim and records the outcome. */
@Injectable()
export class Deliverer {
  private readonly logger = new Logger(Deliverer.name);

  constructor(
    private readonly messages: Messages,
    private readonly sender: Sender,
    private readonly records: AttemptOutcomes,
    private readonly counts: DeliveryCounts,
    private readonly commands: CommandBus,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  /**
   * Never throws. An outcome that cannot be recorded is attempted again when the claim's lease has ended. @param signal
   * aborts attempts, which then do not count
   */
  async attempt(claim: Claim, signal: AbortSignal): Promise<void> {
    const { head } = claim;
    try {
      if (head === null) await this.records.release(claim, this.clock.epochMs());
      else await this.attemptHead({ ...claim, head }, signal);
    } catch (error) {
      this.logger.warn(`a webhook was left as it was: ${failureWords(error)}`);
    }
  }

  private async attemptHead(attempt: Attempt, signal: AbortSignal): Promise<void> {
    const made = await this.messages.of(attempt).catch(async (error: unknown) => {
      await this.records.release(attempt, this.clock.epochMs() + unreadableForMs);
      throw error;
    });
    if (made === null) return this.records.cancel(attempt, this.clock.epochMs());
    if (performance.now() - attempt.claimedAtMs > beginWithinMs) return;
    const outcome = await this.sender.post(made.message, signal);
    this.probe.reached('webhooks:after-send');
    if (signal.aborted && outcome.kind === 'failed') return this.records.release(attempt, this.clock.epochMs());
    const consequence = await this.record(attempt, outcome);
    if (consequence === null) return;
    this.counts.attempted(outcome, consequence, this.clock.epochMs() - made.atMs);
    if (consequence.disable !== null) await this.disable(attempt, consequence.disable);
  }

  /** Retries recording while the claim is valid, because an unrecorded delivery is sent twice. */
  private async record(attempt: Attempt, outcome: Outcome): Promise<Consequence | null> {
    for (;;) {
      try {
        return await this.records.outcome(attempt, outcome, this.clock.epochMs(), Math.random());
      } catch (error) {
        if (performance.now() - attempt.claimedAtMs > leaseMs) throw error;
        await sleep(recordAgainMs);
      }
    }
  }

  /** Does nothing to an endpoint that was deleted meanwhile. */
  private async disable({ endpointId }: Attempt, because: 'gone' | 'failing'): Promise<void> {
    await this.commands.execute(new DisableEndpoint(endpointId, because, causeOfService('webhooks', uuidV7())));
    this.logger.warn({ msg: 'an endpoint of webhooks is disabled', endpointId, because });
  }
}
