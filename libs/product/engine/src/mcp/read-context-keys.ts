import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ContextKeys, type ContextKeySet } from './context-keys';

/** The public halves of the keys that sign whose call it is; the one that signs is the first. */
export class ReadContextKeys extends Query<ContextKeySet> {}

@QueryHandler(ReadContextKeys)
export class ReadContextKeysHandler implements IQueryHandler<ReadContextKeys> {
  constructor(private readonly keys: ContextKeys) {}

  execute(): Promise<ContextKeySet> {
    return Promise.resolve(this.keys.published);
  }
}
