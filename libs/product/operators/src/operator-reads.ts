import { Injectable } from '@nestjs/common';
import { Streams } from '@app/event-store';
import type { Operator } from '@app/http';
import { Clock, type JsonObject } from '@app/kernel';
import { operatorLogId, operatorLogKind } from './operator-log.stream';

/** Logs that an operator looks at people's data: what the scopes `users` and `audit` let them see. */
@Injectable()
export class OperatorReads {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /** Before anything is answered: what cannot be logged is not shown. @throws Unavailable */
  async log(
    { subject, cause }: Operator,
    read: { readonly operation: string; readonly target?: string; readonly parameters?: JsonObject },
  ): Promise<void> {
    const { operation, target = '', parameters = {} } = read;
    const whole = { at: this.clock.now(), operator: subject, operation, target, parameters };
    await this.streams.decide(operatorLogKind, operatorLogId, { type: 'Look', read: whole }, cause);
  }
}
