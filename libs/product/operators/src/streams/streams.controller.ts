import type { Readable } from 'node:stream';
import { Controller, Header, Param, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, Operator, Serves } from '@app/http';
import {
  ExportStream,
  ExportStreamHandler,
  ShowEvents,
  ShowEventsHandler,
  VerifyStream,
  VerifyStreamHandler,
} from './show-streams';
import { exportStream, showEvents, verifyStream } from './streams.contract';
import { ShowEventsDto, type StreamEventPage, type StreamVerification } from './streams.schema';

@Controller()
export class OperatorsStreamsController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(showEvents)
  async events(
    @Operator() operator: Operator,
    @Param('stream') stream: string,
    @Query() query: ShowEventsDto,
  ): Promise<StreamEventPage> {
    return answer(await this.queries.execute(new ShowEvents(operator, stream, query)));
  }

  @Serves(verifyStream)
  async verify(@Operator() operator: Operator, @Param('stream') stream: string): Promise<StreamVerification> {
    return answer(await this.queries.execute(new VerifyStream(operator, stream)));
  }

  @Serves(exportStream)
  @Header('content-type', 'application/x-ndjson')
  async export(@Operator() operator: Operator, @Param('stream') stream: string): Promise<Readable> {
    return answer(await this.queries.execute(new ExportStream(operator, stream)));
  }
}

/** Handlers of the queries that the controller executes. */
export const operatorsStreamsHandlers = [ExportStreamHandler, ShowEventsHandler, VerifyStreamHandler];
