import { Controller, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Operator, sendAskedBytes, Serves } from '@app/http';
import type { FastifyReply } from 'fastify';
import { ReadLogEntries, ReadLogEntriesHandler } from './read-log-entries';
import { readEntries } from './transparency.contract';

/** The non-public part of the log. */
@Controller()
export class OperatorsTransparencyController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readEntries)
  async entries(@Operator() operator: Operator, @Param('*') index: string, @Res() reply: FastifyReply): Promise<void> {
    const bundle = answer(await this.queries.execute(new ReadLogEntries(operator, `entries/${index}`)));
    await sendAskedBytes(reply, bundle, { 'content-type': 'application/octet-stream' });
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsTransparencyHandlers = [ReadLogEntriesHandler];
