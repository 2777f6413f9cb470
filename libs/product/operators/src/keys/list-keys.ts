import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Operator, type PageQuery } from '@app/http';
import { asId, ok, type PartnerKeyId, type Result } from '@app/kernel';
import { ListPartnerKeys } from '@app/partners';
import type { PartnerKeyPage } from './keys.schema';

/** Returns a page of the partner keys, oldest first. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListKeys extends Query<Result<PartnerKeyPage>> {
  constructor(
    readonly operator: Operator,
    readonly query: PageQuery,
  ) {
    super();
  }
}

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(
    private readonly queries: QueryBus,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator: { operatorId }, query: { cursor, limit } }: ListKeys): Promise<Result<PartnerKeyPage>> {
    const binding = { list: 'operator.keys', userId: operatorId, filters: {} };
    const after = cursor === undefined ? ok([null]) : this.cursors.read(binding, cursor);
    if (!after.ok) return after;
    const [last] = after.value;
    const keyId = typeof last === 'string' ? asId<PartnerKeyId>(last) : null;
    const keys = await this.queries.execute(new ListPartnerKeys(keyId, limit + 1));
    return ok(
      pageOf(
        keys,
        limit,
        (key) => key,
        (key) => this.cursors.mint(binding, [key.keyId]),
      ),
    );
  }
}
