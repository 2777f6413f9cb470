import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { asId, notFound, ok, refuse, type EndpointId, type Result } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { EndpointRow } from './endpoint.projection';

/** An endpoint as it is now. */
export type ListedEndpoint = Omit<EndpointRow, 'id' | 'deletedAt' | 'position'> & { readonly endpointId: EndpointId };

const columns = selectList(EndpointRow, [
  'id',
  'url',
  'types',
  'payload',
  'description',
  'disabledBecause',
  'disabledAt',
  'createdAt',
  'updatedAt',
  'rotatedAt',
  'openedPosition',
]);

/** Lists up to `limit` endpoints, oldest first, after the one that began at position `after`, or from the first. @throws Unavailable */
export class ListEndpoints extends Query<readonly ListedEndpoint[]> {
  constructor(
    readonly after: number | null,
    readonly limit: number,
  ) {
    super();
  }
}

@QueryHandler(ListEndpoints)
export class ListEndpointsHandler implements IQueryHandler<ListEndpoints> {
  constructor(private readonly database: Database) {}

  async execute({ after, limit }: ListEndpoints): Promise<readonly ListedEndpoint[]> {
    const rows = await this.database.query<EndpointRow>(
      `SELECT ${columns} FROM {webhook_endpoints} WHERE opened_position > $1 AND deleted_at IS NULL ORDER BY opened_position LIMIT $2`,
      [after ?? -1, limit],
    );
    return rows.map(listed);
  }
}

/** Finds one endpoint. Refuses with `not_found`, also if it was deleted. @throws Unavailable */
export class FindEndpoint extends Query<Result<ListedEndpoint>> {
  constructor(readonly endpointId: EndpointId) {
    super();
  }
}

@QueryHandler(FindEndpoint)
export class FindEndpointHandler implements IQueryHandler<FindEndpoint> {
  constructor(private readonly database: Database) {}

  async execute({ endpointId }: FindEndpoint): Promise<Result<ListedEndpoint>> {
    const [row] = await this.database.query<EndpointRow>(
      `SELECT ${columns} FROM {webhook_endpoints} WHERE id = $1 AND deleted_at IS NULL`,
      [endpointId],
    );
    return row === undefined ? refuse(notFound) : ok(listed(row));
  }
}

function listed({ id, ...row }: EndpointRow): ListedEndpoint {
  return { ...row, endpointId: asId<EndpointId>(id) };
}
