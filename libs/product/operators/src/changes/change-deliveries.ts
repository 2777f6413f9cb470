import { Command, CommandHandler, QueryBus, type ICommandHandler } from '@nestjs/cqrs';
import { ok, Unavailable, type EndpointId, type Instant, type Result } from '@app/kernel';
import { Deliveries, FindEndpoint } from '@app/webhooks';

/** Actions of operators on the deliveries to an endpoint. */
export type DeliveriesChange =
  /** `messageId`: the id of the test message. */
  | { readonly kind: 'test'; readonly messageId: string }
  | { readonly kind: 'retry'; readonly deliveryId: string }
  | { readonly kind: 'recover'; readonly since: Instant };

/**
 * Acts on deliveries. Repeating it may send a message again, which receivers recognize by its id. Refuses with
 * `not_found` and `invalid_input`. @throws Unavailable
 */
export class ChangeDeliveries extends Command<Result<void>> {
  constructor(
    readonly endpointId: EndpointId,
    readonly change: DeliveriesChange,
  ) {
    super();
  }
}

@CommandHandler(ChangeDeliveries)
export class ChangeDeliveriesHandler implements ICommandHandler<ChangeDeliveries> {
  constructor(
    private readonly queries: QueryBus,
    private readonly deliveries: Deliveries,
  ) {}

  async execute({ endpointId, change }: ChangeDeliveries): Promise<Result<void>> {
    const found = await this.queries.execute(new FindEndpoint(endpointId));
    if (!found.ok) return found;
    const made = await this.make(endpointId, change);
    if (made.ok) return ok(undefined);
    // The fan-out does not know an endpoint yet that was just created; the recovery succeeds once it does.
    if (change.kind === 'recover' && made.refusal.kind === 'not_found') throw new Unavailable('service');
    return made;
  }

  private make(endpointId: EndpointId, change: DeliveriesChange): Promise<Result<unknown>> {
    switch (change.kind) {
      case 'test':
        return this.deliveries.test(endpointId, change.messageId);
      case 'retry':
        return this.deliveries.retry(endpointId, change.deliveryId);
      case 'recover':
        return this.deliveries.recover(endpointId, change.since);
    }
  }
}
