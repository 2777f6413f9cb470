import { Command, CommandHandler, type CommandBus, type ICommandHandler } from '@nestjs/cqrs';
import { answer, type Operator } from '@app/http';
import { Clock, ok, type JsonObject, type Result } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import type { ChangeName } from './changes';
import type { MadeChange } from './operators.schema';
import { OperatorChanges } from './operator-changes';

/** Makes a change for an operator, logged before and after. Refuses as the change itself does, and with `rate_limited`. */
export class MakeChange extends Command<Result<MadeChange>> {
  constructor(
    readonly operator: Operator,
    readonly change: {
      readonly operation: ChangeName;
      readonly target: string;
      readonly parameters?: JsonObject;
      readonly reason: string;
    },
  ) {
    super();
  }
}

@CommandHandler(MakeChange)
export class MakeChangeHandler implements ICommandHandler<MakeChange> {
  constructor(
    private readonly changes: OperatorChanges,
    private readonly clock: Clock,
  ) {}

  async execute({ operator: { subject, cause }, change }: MakeChange): Promise<Result<MadeChange>> {
    const { operation, target, parameters = {}, reason } = change;
    const [intentId, at] = [uuidV7(), this.clock.now()];
    const intent = {
      intentId,
      at,
      operator: subject,
      requestId: cause.requestId,
      operation,
      target,
      parameters,
      reason,
    };
    const made = await this.changes.make(intent, cause);
    return made.ok ? ok({ intentId, at, operation, target }) : made;
  }
}

/** Makes a change for an operator. @throws an HTTP problem where it is refused */
export async function makeChange(
  commands: CommandBus,
  operator: Operator,
  change: MakeChange['change'],
): Promise<MadeChange> {
  return answer(await commands.execute(new MakeChange(operator, change)));
}
