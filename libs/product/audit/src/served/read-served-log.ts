import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { notFound, ok, refuse, type Result } from '@app/kernel';
import { ServedLog } from './served-log';
import { withLines } from '../checkpoints/witnessing';

/** The newest checkpoint, as a note with its witnesses' lines. Refuses with `not_found` without one. @throws Unavailable */
export class ReadCheckpoint extends Query<Result<string>> {}

@QueryHandler(ReadCheckpoint)
export class ReadCheckpointHandler implements IQueryHandler<ReadCheckpoint> {
  constructor(private readonly log: ServedLog) {}

  async execute(): Promise<Result<string>> {
    const checkpoint = await this.log.newest();
    return checkpoint === null ? refuse(notFound) : ok(withLines(checkpoint));
  }
}

/** The public keys that ever signed, one per line. Refuses with `not_found` while there is none. @throws Unavailable */
export class ReadLogKeys extends Query<Result<string>> {}

@QueryHandler(ReadLogKeys)
export class ReadLogKeysHandler implements IQueryHandler<ReadLogKeys> {
  constructor(private readonly log: ServedLog) {}

  async execute(): Promise<Result<string>> {
    const keys = await this.log.keys();
    return keys.length === 0 ? refuse(notFound) : ok(keys.map((key) => `${key}\n`).join(''));
  }
}

/** The hashes of a tile, by its path under `tile/`. Refuses with `not_found`. @throws Unavailable */
export class ReadTile extends Query<Result<Uint8Array>> {
  constructor(readonly path: string) {
    super();
  }
}

@QueryHandler(ReadTile)
export class ReadTileHandler implements IQueryHandler<ReadTile> {
  constructor(private readonly log: ServedLog) {}

  async execute({ path }: ReadTile): Promise<Result<Uint8Array>> {
    const tile = await this.log.tile(path);
    return tile === null ? refuse(notFound) : ok(tile);
  }
}
