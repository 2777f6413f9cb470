import { Injectable } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, QueryBus, type ICommandHandler } from '@nestjs/cqrs';
import { answer, type Operator } from '@app/http';
import { Clock, ok, type JsonObject, type Result } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import type { ChangeName } from './changes';
import type { MadeChange } from './operators.schema';
import { OperatorChanges } from './operator-changes';

/**
 * Makes a change for an operator, logged before and after. Refuses as the change itself does, and with `rate_limited`.
 */
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

/** A controller of the operator API that makes changes. */
@Injectable()
export abstract class ChangeController {
  constructor(
    protected readonly commands: CommandBus,
    protected readonly queries: QueryBus,
  ) {}

  /** Makes a change for an operator; an HTTP problem where it is refused. */
  protected async make(operator: Operator, change: MakeChange['change']): Promise<MadeChange> {
    return answer(await this.commands.execute(new MakeChange(operator, change)));
  }
}
