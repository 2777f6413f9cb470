import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Operator, type PageQuery } from '@app/http';
import { ok, type EndpointId, type Result } from '@app/kernel';
import { Deliveries, EndpointHealths, FindEndpoint, ListEndpoints } from '@app/webhooks';
import type { EndpointHealth, ListedEndpoint } from '@app/webhooks';
import type { ListDeliveriesDto, WebhookDeliveryPage, WebhookEndpoint, WebhookEndpointPage } from './webhooks.schema';
import { OperatorQuery } from '../operator-query';

/** Returns a page of the endpoints, oldest first. Refuses with `invalid_cursor`. @throws Unavailable */
export class ListWebhooks extends OperatorQuery<PageQuery, WebhookEndpointPage> {}

/** Returns one endpoint. Refuses with `not_found`. @throws Unavailable */
export class ShowWebhook extends Query<Result<WebhookEndpoint>> {
  constructor(readonly endpointId: EndpointId) {
    super();
  }
}

@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(
    private readonly queries: QueryBus,
    private readonly healths: EndpointHealths,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator: { operatorId }, asked: query }: ListWebhooks): Promise<Result<WebhookEndpointPage>> {
    const binding = { list: 'operator.webhooks', userId: operatorId, filters: {} };
    const after = this.cursors.startOf(binding, query.cursor);
    if (!after.ok) return after;
    const rows = await this.queries.execute(new ListEndpoints(after.value, query.limit + 1));
    const healths = await this.healths.of(rows.map(({ endpointId }) => endpointId));
    const endpoints = rows.map((row) => ({ row, health: healths.get(row.endpointId) ?? null }));
    return ok(
      pageOf(
        endpoints,
        query.limit,
        ({ row, health }) => view(row, health),
        ({ row }) => this.cursors.mint(binding, [row.openedPosition]),
      ),
    );
  }
}

@QueryHandler(ShowWebhook)
export class ShowWebhookHandler implements IQueryHandler<ShowWebhook> {
  constructor(
    private readonly queries: QueryBus,
    private readonly healths: EndpointHealths,
  ) {}

  async execute({ endpointId }: ShowWebhook): Promise<Result<WebhookEndpoint>> {
    const found = await this.queries.execute(new FindEndpoint(endpointId));
    if (!found.ok) return found;
    const healths = await this.healths.of([endpointId]);
    return ok(view(found.value, healths.get(endpointId) ?? null));
  }
}

/** @param health null: the fan-out does not know the endpoint yet */
function view(row: ListedEndpoint, health: EndpointHealth | null): WebhookEndpoint {
  const { endpointId, url, types, payload, description, disabledBecause, disabledAt, ...times } = row;
  const { createdAt, updatedAt, rotatedAt } = times;
  const { failingSince = null, pending = 0, oldestPendingAt = null } = health ?? {};
  return {
    endpointId,
    url,
    types,
    payload,
    description,
    enabled: disabledBecause === null,
    disabledBecause,
    disabledAt,
    failingSince,
    pending,
    oldestPendingAt,
    createdAt,
    updatedAt,
    rotatedAt,
  };
}

/** Returns deliveries to an endpoint, newest first. Refuses with `not_found`, `invalid_cursor`. @throws Unavailable */
export class ListWebhookDeliveries extends Query<Result<WebhookDeliveryPage>> {
  constructor(
    readonly operator: Operator,
    readonly endpointId: EndpointId,
    readonly query: ListDeliveriesDto,
  ) {
    super();
  }
}

@QueryHandler(ListWebhookDeliveries)
export class ListWebhookDeliveriesHandler implements IQueryHandler<ListWebhookDeliveries> {
  constructor(
    private readonly queries: QueryBus,
    private readonly deliveries: Deliveries,
    private readonly cursors: Cursors,
  ) {}

  async execute({ operator, endpointId, query }: ListWebhookDeliveries): Promise<Result<WebhookDeliveryPage>> {
    const { cursor, limit, state } = query;
    const found = await this.queries.execute(new FindEndpoint(endpointId));
    if (!found.ok) return found;
    const filters = { endpointId, state: state ?? null };
    const binding = { list: 'operator.deliveries', userId: operator.operatorId, filters };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const asked = {
      limit: limit + 1,
      ...(state !== undefined && { state }),
      ...(before.value !== null && { before: before.value }),
    };
    const rows = await this.deliveries.list(endpointId, asked);
    return ok(
      pageOf(
        rows,
        limit,
        ({ view }) => view,
        ({ seq }) => this.cursors.mint(binding, [seq]),
      ),
    );
  }
}
