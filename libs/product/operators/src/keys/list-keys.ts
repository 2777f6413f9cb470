import { QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type PageQuery } from '@app/http';
import { asId, ok, type PartnerKeyId, type Result } from '@app/kernel';
import { ListPartnerKeys } from '@app/partners';
import type { PartnerKeyPage } from './keys.schema';
import { OperatorQuery, wholeRow } from '../operator-query';

/** Returns a page of the partner keys, oldest first. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListKeys extends OperatorQuery<PageQuery, PartnerKeyPage> {}

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(
    private readonly queries: QueryBus,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator: { operatorId }, asked: { cursor, limit } }: ListKeys): Promise<Result<PartnerKeyPage>> {
    const binding = { list: 'operator.keys', userId: operatorId, filters: {} };
    const after = cursor === undefined ? ok([null]) : this.cursors.read(binding, cursor);
    if (!after.ok) return after;
    const [last] = after.value;
    const keyId = typeof last === 'string' ? asId<PartnerKeyId>(last) : null;
    const keys = await this.queries.execute(new ListPartnerKeys(keyId, limit + 1));
    return ok(pageOf(keys, limit, wholeRow, (key) => this.cursors.mint(binding, [key.keyId])));
  }
}
