import { epochMsOf, instantOf, notBegun, unreachable, type Instant } from '@app/kernel';
import type { EndpointEvent, EndpointSettings } from './endpoint.events';

/** A key that signs deliveries. */
export interface SigningKey {
  readonly keyId: string;
  /** When it stops signing, by the service clock; null for the newest. */
  readonly until: Instant | null;
}

/** An endpoint that has not been deleted. */
export interface PresentEndpoint {
  readonly status: 'enabled' | 'disabled';
  readonly settings: EndpointSettings;
  /** Newest first. */
  readonly keys: readonly SigningKey[];
}

export type EndpointState = PresentEndpoint | { readonly status: 'absent' } | { readonly status: 'deleted' };

/** How long an earlier key signs in addition to the newest one; receivers have that long to adopt the new secret. */
export const replacedKeySignsMs = 24 * 3_600_000;

/** The keys that sign at an instant, newest first. */
export function keysAt(keys: readonly SigningKey[], at: Instant): readonly SigningKey[] {
  return keys.filter(({ until }) => until === null || epochMsOf(until) > epochMsOf(at));
}

export function isPresent(state: EndpointState): state is PresentEndpoint {
  return state.status === 'enabled' || state.status === 'disabled';
}

/** Throws for an event that is none of an endpoint, and for one of an endpoint that was not created. */
export function evolveEndpoint(state: EndpointState, event: EndpointEvent): EndpointState {
  if (event.type === 'endpoint.created')
    return { status: 'enabled', settings: settingsOf(event), keys: [{ keyId: event.keyId, until: null }] };
  return state.status === 'absent' ? notBegun(event) : evolveCreated(state, event);
}

function evolveCreated(
  state: PresentEndpoint | { readonly status: 'deleted' },
  event: Exclude<EndpointEvent, { readonly type: 'endpoint.created' }>,
): EndpointState {
  switch (event.type) {
    case 'endpoint.changed':
      return ifPresent(state, { settings: settingsOf(event) });
    case 'endpoint.secret_rotated':
      return isPresent(state)
        ? { ...state, keys: [{ keyId: event.keyId, until: null }, ...replacedAt(state.keys, event.at)] }
        : state;
    case 'endpoint.enabled':
      return ifPresent(state, { status: 'enabled' });
    case 'endpoint.disabled':
      return ifPresent(state, { status: 'disabled' });
    case 'endpoint.deleted':
      return { status: 'deleted' };
    default:
      return unreachable(event);
  }
}

/** A deleted endpoint stays as it is. */
function ifPresent(state: EndpointState, change: Partial<PresentEndpoint>): EndpointState {
  return isPresent(state) ? { ...state, ...change } : state;
}

/** The keys that still sign after another one becomes the newest. */
function replacedAt(keys: readonly SigningKey[], at: Instant): readonly SigningKey[] {
  const until = instantOf(epochMsOf(at) + replacedKeySignsMs);
  return keysAt(keys, at).map((key) => ({ ...key, until: key.until ?? until }));
}

function settingsOf({ url, types, payload, description }: EndpointSettings): EndpointSettings {
  return { url, types, payload, description };
}
