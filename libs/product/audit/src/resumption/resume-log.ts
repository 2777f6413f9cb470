import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '@app/kernel';
import { Database } from '@app/read-store';
import { checkpointWanted, Checkpoints } from '../signing/checkpoints';
import type { ResumedAs } from '../checkpoints/checkpoints.events';
import type { LogHold } from '../log/log-hold';
import { LogIdentity } from '../log/log-identity';

/** The hold to end, how to end it, and all values needed for that, so that a repeated call has the same result. */
export interface Resumption {
  readonly as: ResumedAs;
  readonly hold: string;
  /** The new origin of a copy; a successor keeps its own. */
  readonly origin: string;
  /** The size of the largest tree that any witness has seen. */
  readonly above: number;
}

/** Lets the log sign again; does nothing if the hold has ended or was replaced. @throws Unavailable */
export class ResumeLog extends Command<Result<null>> {
  constructor(readonly resumption: Resumption) {
    super();
  }
}

@CommandHandler(ResumeLog)
class ResumeLogHandler implements ICommandHandler<ResumeLog> {
  constructor(
    private readonly identity: LogIdentity,
    private readonly checkpoints: Checkpoints,
    private readonly database: Database,
  ) {}

  /**
   * Writes the intent to the row, then appends the deciding event, then completes the row; after an interruption
   * anywhere, the next call continues.
   */
  async execute({ resumption: { as, hold, origin, above } }: ResumeLog): Promise<Result<null>> {
    if ((await this.identity.hold())?.id !== hold) return ok(null);
    const begun = await this.identity.beginResume({ hold, as, origin });
    const { origin: decided } = await this.checkpoints.resume(as, begun, above);
    await this.identity.endResume(hold, decided ?? begun.origin);
    await this.database.query('SELECT pg_notify($1, $2)', [checkpointWanted, '']);
    return ok(null);
  }
}

/** Holds the log: it signs nothing from now on. Idempotent; an existing hold is kept. @throws Unavailable */
export class HoldLog extends Command<Result<null>> {
  constructor(readonly hold: LogHold) {
    super();
  }
}

@CommandHandler(HoldLog)
class HoldLogHandler implements ICommandHandler<HoldLog> {
  constructor(private readonly identity: LogIdentity) {}

  async execute({ hold }: HoldLog): Promise<Result<null>> {
    await this.identity.keepHeld(hold);
    return ok(null);
  }
}

/** Handlers of the commands. */
export const resumeLogHandlers = [HoldLogHandler, ResumeLogHandler];
