import { asId, type Cause, type EndpointId, type JsonObject } from '@app/kernel';
import { payloadKinds, type PayloadKind } from '@app/notices';
import { ChangeEndpoint, CreateEndpoint, RotateEndpointSecret } from '@app/webhooks';
import { textIn } from './intent-parameters';
import type { Intent } from '../operator-log/operator-log.events';

/** The commands of changes to endpoints, made only from their log entries; the secret of a key was sealed before. */
export function createdEndpoint({ at, target, parameters, reason }: Intent, cause: Cause): CreateEndpoint {
  const settings = {
    url: textIn(parameters, 'url'),
    types: typesIn(parameters) ?? null,
    payload: payloadIn(parameters) ?? 'thin',
    description: textIn(parameters, 'description'),
  };
  const endpointId = asId<EndpointId>(target);
  return new CreateEndpoint({ endpointId, at, settings, keyId: textIn(parameters, 'keyId'), reason, cause });
}

export function changedEndpoint({ target, parameters, reason }: Intent, cause: Cause): ChangeEndpoint {
  const { url, description, enabled } = parameters;
  const [types, payload] = [typesIn(parameters), payloadIn(parameters)];
  const settings = {
    ...(typeof url === 'string' && { url }),
    ...(types !== undefined && { types }),
    ...(payload !== undefined && { payload }),
    ...(typeof description === 'string' && { description }),
  };
  const endpointId = asId<EndpointId>(target);
  return new ChangeEndpoint({ endpointId, settings, ...(typeof enabled === 'boolean' && { enabled }), reason, cause });
}

export function rotatedEndpoint({ at, target, parameters, reason }: Intent, cause: Cause): RotateEndpointSecret {
  const keyId = textIn(parameters, 'keyId');
  return new RotateEndpointSecret({ endpointId: asId<EndpointId>(target), at, keyId, reason, cause });
}

/** Undefined: not given; null: all types. */
function typesIn({ types }: JsonObject): readonly string[] | null | undefined {
  return Array.isArray(types) ? types.filter((type) => typeof type === 'string') : types === null ? null : undefined;
}

function payloadIn({ payload }: JsonObject): PayloadKind | undefined {
  return payloadKinds.find((kind) => kind === payload);
}
