import { Controller, Param, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { answer, sendAskedBytes, Serves } from '@app/http';
import type { FastifyReply } from 'fastify';
import {
  ReadCheckpoint,
  ReadCheckpointHandler,
  ReadLogKeys,
  ReadLogKeysHandler,
  ReadTile,
  ReadTileHandler,
} from './read-served-log';
import { checkpointCaching, readCheckpoint, readLogKeys, readTile, unchangingCaching } from './transparency.contract';

const textFields = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': checkpointCaching };
const tileFields = { 'content-type': 'application/octet-stream', 'cache-control': unchangingCaching };

/** The public log: it contains nothing but hashes (docs/decisions/proof.md). */
@Controller()
export class TransparencyController {
  constructor(private readonly queries: QueryBus) {}

  @Serves(readCheckpoint)
  async checkpoint(@Res() reply: FastifyReply): Promise<void> {
    const note = answer(await this.queries.execute(new ReadCheckpoint()));
    await reply.headers(textFields).send(note);
  }

  @Serves(readLogKeys)
  async key(@Res() reply: FastifyReply): Promise<void> {
    const keys = answer(await this.queries.execute(new ReadLogKeys()));
    await reply.headers(textFields).send(keys);
  }

  @Serves(readTile)
  async tile(@Param('level') level: string, @Param('*') index: string, @Res() reply: FastifyReply): Promise<void> {
    const tile = answer(await this.queries.execute(new ReadTile(`${level}/${index}`)));
    await sendAskedBytes(reply, tile, tileFields);
  }
}

/** Handlers of the queries that the controller executes. */
export const transparencyHandlers = [ReadCheckpointHandler, ReadLogKeysHandler, ReadTileHandler];
