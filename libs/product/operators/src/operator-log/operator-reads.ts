import { Injectable } from '@nestjs/common';
import { Streams } from '@app/event-store';
import type { Operator } from '@app/http';
import { Clock, type JsonObject } from '@app/kernel';
import { operatorLogId, operatorLogKind } from './operator-log.stream';

/** Logs operators' accesses to people's data, which the scopes `users` and `audit` allow. */
@Injectable()
export class OperatorReads {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  /** Call before answering: an access that cannot be logged is refused. @throws Unavailable */
  async log(
    { subject, cause }: Operator,
    read: { readonly operation: string; readonly target?: string; readonly parameters?: JsonObject },
  ): Promise<void> {
    const { operation, target = '', parameters = {} } = read;
    const whole = { at: this.clock.now(), operator: subject, operation, target, parameters };
    await this.streams.decide(operatorLogKind, operatorLogId, { type: 'Look', read: whole }, cause);
  }
}
