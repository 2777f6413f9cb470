import { Controller, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Serves } from '@app/http';
import type { FastifyReply } from 'fastify';
import { ReadContextKeys, type ContextKeySet } from './context-keys';
import { keysCaching, readContextKeys } from './context-keys.contract';

/** Serves the public keys, without authentication (docs/mcp.md). */
@Controller()
export class ContextKeysController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readContextKeys)
  read(@Res({ passthrough: true }) reply: FastifyReply): Promise<ContextKeySet> {
    void reply.header('cache-control', keysCaching);
    return this.queries.execute(new ReadContextKeys());
  }
}
