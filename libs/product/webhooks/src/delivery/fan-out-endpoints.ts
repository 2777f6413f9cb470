import { decodeEvent, idInStream, type StoredEvent } from '@app/event-store';
import { epochMsOf } from '@app/kernel';
import type { Notice, PayloadKind } from '@app/notices';
import type { DisabledBecause, EndpointEvent } from '../endpoint/endpoint.events';
import { endpointKind } from '../endpoint/endpoint.stream';

/** An endpoint as folded in the order of the store: which notices it gets, and from where on. */
export interface Target {
  readonly endpointId: string;
  readonly url: string;
  /** Null: all. */
  readonly types: readonly string[] | null;
  readonly payload: PayloadKind;
  readonly isEnabled: boolean;
  readonly isDeleted: boolean;
  readonly disabledAtMs: number | null;
  /** Counts how often it was disabled or enabled; pending deliveries of an earlier epoch are dropped. */
  readonly epoch: number;
  /** Revision of the last event of its stream that is folded in. */
  readonly revision: number;
}

/** A change of an endpoint, and what is recorded with it. */
export interface TargetChange {
  readonly target: Target;
  /** The period for which it was disabled; set when it is enabled. */
  readonly gap: { readonly fromMs: number; readonly toMs: number } | null;
  /** The cause when it is disabled, which may be sent to the endpoint. */
  readonly disabled: DisabledBecause | null;
}

/** The change that an endpoint's event makes; null if it changes nothing here or was already processed. */
export function changeOf(known: Target | undefined, stored: StoredEvent): TargetChange | null {
  const endpointId = idInStream(endpointKind, stored.stream);
  if (endpointId === null || stored.revision <= (known?.revision ?? -1)) return null;
  const { event, revision } = decodeEvent<EndpointEvent>(endpointKind, stored);
  const plain = (target: Target): TargetChange => ({ target: { ...target, revision }, gap: null, disabled: null });
  if (event.type === 'endpoint.created') {
    const { url, types, payload } = event;
    const begun = { isEnabled: true, isDeleted: false, disabledAtMs: null, epoch: 0, revision };
    return plain({ endpointId, url, types, payload, ...begun });
  }
  if (known === undefined) return null;
  const next = known.epoch + 1;
  switch (event.type) {
    case 'endpoint.changed': {
      const { url, types, payload } = event;
      return plain({ ...known, url, types, payload });
    }
    case 'endpoint.enabled': {
      const toMs = epochMsOf(event.at);
      const gap = { fromMs: known.disabledAtMs ?? toMs, toMs };
      return { ...plain({ ...known, isEnabled: true, disabledAtMs: null, epoch: next }), gap };
    }
    case 'endpoint.disabled': {
      const target = { ...known, isEnabled: false, disabledAtMs: epochMsOf(event.at), epoch: next };
      return { ...plain(target), disabled: event.because };
    }
    case 'endpoint.deleted':
      return plain({ ...known, isEnabled: false, isDeleted: true, epoch: next });
    case 'endpoint.secret_rotated':
      return plain(known);
    default:
      // An event that a newer version wrote: the fan-out goes on for all endpoints, this one included.
      event satisfies never;
      return plain(known);
  }
}

/** Whether an endpoint gets notices of this type. */
export function wants({ isEnabled, types }: Target, { type }: Pick<Notice, 'type'>): boolean {
  return isEnabled && (types === null || types.includes('*') || types.includes(type));
}
