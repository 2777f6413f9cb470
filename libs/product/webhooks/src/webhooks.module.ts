import { Module } from '@nestjs/common';
import { Deliveries } from './delivery/deliveries';
import { DeliveryFigures } from './delivery/delivery-metrics';
import { deliveriesMigrations } from './delivery/delivery-tables';
import { endpointCommandHandlers } from './endpoint/endpoint-commands';
import { EndpointHealths } from './endpoint/endpoint-health';
import { EndpointSecrets } from './endpoint/endpoint-secrets';
import { EndpointUrls } from './endpoint/endpoint-urls';
import { EndpointRow, endpointsMigrations, endpointsProjection } from './endpoint/endpoint.projection';
import { FindEndpointHandler, ListEndpointsHandler } from './endpoint/find-endpoints';

/** The endpoints of partners, for operators and for deliveries. */
@Module({
  providers: [
    Deliveries,
    DeliveryFigures,
    EndpointHealths,
    EndpointSecrets,
    EndpointUrls,
    ...endpointCommandHandlers,
    FindEndpointHandler,
    ListEndpointsHandler,
  ],
  exports: [Deliveries, EndpointHealths, EndpointSecrets],
})
export class WebhooksModule {}

/** The slice's tables in PostgreSQL. */
export const webhooksReadModel = {
  rows: [EndpointRow],
  migrations: [...endpointsMigrations, ...deliveriesMigrations],
  projections: [endpointsProjection],
};
