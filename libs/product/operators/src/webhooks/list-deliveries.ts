import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf, type Operator } from '@app/http';
import { ok, type EndpointId, type Result } from '@app/kernel';
import { Deliveries, FindEndpoint } from '@app/webhooks';
import type { ListDeliveriesDto, WebhookDeliveryPage } from './webhooks.schema';

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
