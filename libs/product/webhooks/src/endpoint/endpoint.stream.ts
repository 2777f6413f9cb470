import type { StreamKind } from '@app/event-store';
import { endpointDecider, type EndpointCommand } from './endpoint.decider';
import { endpointMembers, type EndpointEvent } from './endpoint.events';
import type { EndpointState } from './endpoint.state';

/** `endpoint-<endpointId>`: one stream for each endpoint of a partner. */
export const endpointKind: StreamKind<EndpointState, EndpointCommand, EndpointEvent> = {
  category: 'endpoint',
  decider: endpointDecider,
  members: endpointMembers,
  stateVersion: 1,
};
