import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { FoldedStates, Streams } from '@app/event-store';
import { causeOfRequest, Clock, DamagedStream, NotInEffect, refuse, Unavailable } from '@app/kernel';
import type { Cause, Refusal, Result } from '@app/kernel';
import { commandOf } from './changes';
import { waitedFor } from './order-of-changes';
import type { Intent } from '../operator-log/operator-log.events';
import { operatorLogId, operatorLogKind } from '../operator-log/operator-log.stream';

/** A request makes its change only so long after it saw it pending; later it leaves it to the watchdog, which waits longer. */
const beginsWithinMs = 3_000;
/** How long a change waits for its turn: longer than the watchdog takes to complete one that a crash interrupted. */
const turnWithinMs = 10_000;
const lookEveryMs = 100;

/**
 * Makes the changes that operators request: each is logged as an intent, made by one idempotent command, and logged as
 * completed. A crash in between leaves an intent, which the watchdog completes by running the same command again.
 */
@Injectable()
export class OperatorChanges {
  constructor(
    private readonly commands: CommandBus,
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
  ) {}

  /**
   * Logs and makes a change, after the earlier changes of the same target are completed, so that the latest request
   * takes effect last; a brake waits only for those where the order decides. Refuses with `rate_limited` if too many are
   * pending, and as the change's command does.
   * @throws Unavailable; the change is made nevertheless, unless it was not even logged
   */
  async make(intent: Intent, cause: Cause): Promise<Result<unknown>> {
    const logged = await this.streams.decide(operatorLogKind, operatorLogId, { type: 'Intend', intent }, cause);
    if (!logged.ok) return refuse(logged.refusal);
    for (const earlier of waitedFor(logged.value.state.pending, intent)) await this.untilCompleted(earlier);
    const lookedAtMs = performance.now();
    const isPending = await this.isPending(intent);
    // The watchdog has made it, or may be making it now, and the target may have been changed again since, which this
    // request must not overwrite.
    if (!isPending || performance.now() - lookedAtMs > beginsWithinMs) throw new Unavailable('service');
    return this.complete(intent, cause);
  }

  /** The intents that are logged and not completed, as of now, in order. @throws Unavailable */
  async pending(): Promise<readonly Intent[]> {
    return (await this.states.fresh(operatorLogKind, operatorLogId)).state.pending;
  }

  /** Whether an intent is not completed, as of now. @throws Unavailable */
  async isPending({ intentId }: Intent): Promise<boolean> {
    return (await this.pending()).some((intent) => intent.intentId === intentId);
  }

  /**
   * Makes a logged change, again if another process has already begun it, and logs its completion. A change that fails for any other reason
   * than a dependency that is away is logged as completed too, as `damaged`, `recorded` or `failed`: trying again does not help, and a
   * pending change blocks later ones. @throws Unavailable, and any other failure after it is logged
   */
  async complete(intent: Intent, cause = causeOf(intent)): Promise<Result<unknown>> {
    const { intentId } = intent;
    // Events that result from the intent name it as their cause.
    const made = await this.execute(intent, { ...cause, causationId: intentId });
    const complete = { type: 'Complete', at: this.clock.now(), intentId, outcome: made.outcome } as const;
    await this.streams.decide(operatorLogKind, operatorLogId, complete, cause);
    if ('failure' in made) throw made.failure;
    return made.result;
  }

  /** Throws Unavailable for a dependency that is away: then the change stays pending. */
  private async execute(intent: Intent, cause: Cause): Promise<Made> {
    // Outside of the `try`: a change that only a newer version knows is left to that version.
    const command = commandOf(intent, cause);
    try {
      const result: Result<unknown> = await this.commands.execute(command);
      return { result, outcome: result.ok ? 'done' : inOneWord(result.refusal) };
    } catch (failure) {
      if (failure instanceof DamagedStream) return { failure, outcome: 'damaged' };
      if (failure instanceof NotInEffect) return { failure, outcome: 'recorded' };
      if (failure instanceof Unavailable) throw failure;
      return { failure, outcome: 'failed' };
    }
  }

  /** Waits until an intent is completed, by its request or the watchdog. @throws Unavailable if that takes too long */
  private async untilCompleted(earlier: Intent): Promise<void> {
    const { intentId } = earlier;
    const giveUpAtMs = performance.now() + turnWithinMs;
    while (performance.now() < giveUpAtMs) {
      const { state, revision } = await this.states.fresh(operatorLogKind, operatorLogId);
      if (!state.pending.some((intent) => intent.intentId === intentId)) return;
      await this.states.untilNews(operatorLogKind, operatorLogId, { after: revision, withinMs: lookEveryMs });
    }
    throw new EarlierChangePending(earlier);
  }
}

/** A change waits for an earlier one of its target; it is made after that one. */
class EarlierChangePending extends Unavailable {
  constructor({ operation, intentId }: Intent) {
    super('service');
    this.message = `an earlier change of the same target is not completed: ${operation}, intent ${intentId}; this one follows it`;
  }
}

/** How a change ended, and the word for it in the log. */
type Made = { readonly outcome: string } & ({ readonly result: Result<unknown> } | { readonly failure: unknown });

/** The cause of a change that is completed after its request has ended. */
function causeOf({ operator, requestId }: Intent): Cause {
  return causeOfRequest({ kind: 'operator', id: operator }, requestId);
}

function inOneWord(refusal: Refusal): string {
  return refusal.kind === 'reason' ? refusal.reason : refusal.kind;
}
