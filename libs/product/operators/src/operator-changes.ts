import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, causeOfRequest, refuse, type Cause, type Refusal, type Result } from '@app/kernel';
import { commandOf } from './changes';
import { inTurn } from './operator-log.decider';
import type { Intent } from './operator-log.events';
import { operatorLogId, operatorLogKind } from './operator-log.stream';

/**
 * Makes the changes that operators ask for: each is logged as an intent, made by one idempotent command, and logged as completed. A crash
 * in between leaves an intent that the watchdog completes, by the same command again.
 */
@Injectable()
export class OperatorChanges {
  constructor(
    private readonly commands: CommandBus,
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /**
   * Logs and makes a change. What was asked for earlier of the same thing, and is not completed, is made first: so the last one who
   * asked has the last word. Refuses with `rate_limited` where too many are pending, and as the change's command does.
   * @throws Unavailable, and the change is made nevertheless, unless it was not even logged
   */
  async make(intent: Intent, cause: Cause): Promise<Result<unknown>> {
    const logged = await this.streams.decide(operatorLogKind, operatorLogId, { type: 'Intend', intent }, cause);
    if (!logged.ok) return refuse(logged.refusal);
    for (const earlier of inTurn(logged.value.state, intent).slice(0, -1)) await this.complete(earlier);
    return this.complete(intent, cause);
  }

  /** Makes a logged change, once more where somebody has begun to, and logs that it is made. @throws Unavailable */
  async complete(intent: Intent, cause = causeOf(intent)): Promise<Result<unknown>> {
    const { intentId } = intent;
    // What follows from the intent names it.
    const made = await this.commands.execute(commandOf(intent, { ...cause, causationId: intentId }));
    const outcome = made.ok ? 'done' : inOneWord(made.refusal);
    const complete = { type: 'Complete', at: this.clock.now(), intentId, outcome } as const;
    await this.streams.decide(operatorLogKind, operatorLogId, complete, cause);
    return made;
  }
}

/** The cause of what is completed for somebody whose request is over. */
function causeOf({ operator, requestId }: Intent): Cause {
  return causeOfRequest({ kind: 'operator', id: operator }, requestId);
}

function inOneWord(refusal: Refusal): string {
  return refusal.kind === 'reason' ? refusal.reason : refusal.kind;
}
