import { Module } from '@nestjs/common';
import { Deliveries } from './delivery/deliveries';
import { DeliveryFigures } from './delivery/delivery-figures';
import { deliveriesMigrations } from './delivery/delivery-tables';
import { ChangeEndpointHandler } from './endpoint/change-endpoint';
import { CreateEndpointHandler } from './endpoint/create-endpoint';
import { DeleteEndpointHandler } from './endpoint/delete-endpoint';
import { DisableEndpointHandler } from './endpoint/disable-endpoint';
import { EndpointHealths } from './endpoint/endpoint-health';
import { EndpointSecrets } from './endpoint/endpoint-secrets';
import { EndpointUrls } from './endpoint/endpoint-urls';
import { EndpointRow, endpointsMigrations, endpointsProjection } from './endpoint/endpoint.projection';
import { FindEndpointHandler, ListEndpointsHandler } from './endpoint/find-endpoints';
import { RotateEndpointSecretHandler } from './endpoint/rotate-secret';

/** The endpoints of partners, for operators and for deliveries. */
@Module({
  providers: [
    Deliveries,
    DeliveryFigures,
    EndpointHealths,
    EndpointSecrets,
    EndpointUrls,
    ChangeEndpointHandler,
    CreateEndpointHandler,
    DeleteEndpointHandler,
    DisableEndpointHandler,
    FindEndpointHandler,
    ListEndpointsHandler,
    RotateEndpointSecretHandler,
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
