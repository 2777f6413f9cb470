import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '@app/kernel';
import { Database } from '@app/read-store';
import { checkpointWanted } from './checkpoint-wanted';
import { Checkpoints } from './checkpoints';
import type { ResumedAs } from './checkpoints.events';
import type { LogHold } from './log-hold';
import { LogIdentity } from './log-identity';

/** Which hold is to end, and how; everything that it takes, so that it is done to the same end however often it is asked for. */
export interface Resumption {
  readonly as: ResumedAs;
  readonly hold: string;
  /** Of a copy; a successor keeps its own. */
  readonly origin: string;
  /** The largest tree that some witness has seen. */
  readonly above: number;
}

/** Lets the log sign again. Idempotent: a hold that ended, or was followed by another one, is left alone. @throws Unavailable */
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

  /** The row says first what is to be, then the event decides it, then the row follows: cut off anywhere, it is gone on with by the next call. */
  async execute({ resumption: { as, hold, origin, above } }: ResumeLog): Promise<Result<null>> {
    if ((await this.identity.hold())?.id !== hold) return ok(null);
    const begun = await this.identity.beginResume({ hold, as, origin });
    const { origin: decided } = await this.checkpoints.resume(as, begun, above);
    await this.identity.endResume(hold, decided ?? begun.origin);
    await this.database.query('SELECT pg_notify($1, $2)', [checkpointWanted, '']);
    return ok(null);
  }
}

/** Lets the log sign nothing from now on. Idempotent; a log that is held stays as it is. @throws Unavailable */
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

/** What handles the commands. */
export const resumeLogHandlers = [HoldLogHandler, ResumeLogHandler];
