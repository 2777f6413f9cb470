import { Controller, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Serves } from '@app/http';
import type { FastifyReply } from 'fastify';
import type { ContextKeySet } from './context-keys';
import { keysCaching, readContextKeys } from './context-keys.contract';
import { ReadContextKeys } from './read-context-keys';

/** The keys for everybody (docs/mcp.md). */
@Controller()
export class ContextKeysController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readContextKeys)
  read(@Res({ passthrough: true }) reply: FastifyReply): Promise<ContextKeySet> {
    void reply.header('cache-control', keysCaching);
    return this.queries.execute(new ReadContextKeys());
  }
}
