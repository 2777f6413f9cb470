export { Deliveries } from './delivery/deliveries';
export { deliveryStates, failures as attemptFailures, type DeliveryState } from './delivery/delivery';
export {
  ChangeEndpoint,
  CreateEndpoint,
  DeleteEndpoint,
  DisableEndpoint,
  RotateEndpointSecret,
} from './endpoint/endpoint-commands';
export { descriptionLengthMax, urlLengthMax } from './endpoint/endpoint.decider';
export { disabledCauses } from './endpoint/endpoint.events';
export { EndpointHealths, type EndpointHealth } from './endpoint/endpoint-health';
export { replacedKeySignsMs } from './endpoint/endpoint.state';
export { endpointKind } from './endpoint/endpoint.stream';
export { wrongInUrl } from './endpoint/endpoint-urls';
export { EndpointSecrets, endpointKeysTable } from './endpoint/endpoint-secrets';
export { FindEndpoint, ListEndpoints, type ListedEndpoint } from './endpoint/find-endpoints';
export { WebhookWorkModule } from './webhook-work.module';
export { WebhooksModule, webhooksReadModel } from './webhooks.module';
