import { asId, type RequestId } from './ids';

/** The actor of a command: an end user through a partner, an operator, or the service itself (a reactor, the engine, a watchdog). */
export type Actor =
  | { readonly kind: 'user'; readonly id: string; readonly partnerKeyId: string }
  | { readonly kind: 'operator'; readonly id: string }
  | { readonly kind: 'service'; readonly id: string };

/** The cause of a command; every event that results carries it in its metadata. */
export interface Cause {
  readonly actor: Actor;
  /** The request that caused it; for the service's own work, the request that it continues, or a generated id. */
  readonly requestId: RequestId;
  /** Shared by all consequences of one outside request. */
  readonly correlationId: string;
  /** The event or request that directly caused the command. */
  readonly causationId: string;
}

/**
 * Returns the cause of a request's commands.
 * @param correlationId the trace that the request belongs to, if any
 */
export function causeOfRequest(actor: Actor, requestId: string, correlationId = requestId): Cause {
  return { actor, requestId: asId<RequestId>(requestId), correlationId, causationId: requestId };
}

/** Returns the cause of a service's own work, correlated by the object `subjectId`, if it concerns a single one. */
export function causeOfService(service: string, requestId: string, subjectId = requestId): Cause {
  const actor = { kind: 'service', id: service } as const;
  return { actor, requestId: asId<RequestId>(requestId), correlationId: subjectId, causationId: subjectId };
}

/** The identity of a stored event, as the cause of others. */
interface CausingEvent {
  readonly id: string;
  readonly metadata: { readonly requestId: string; readonly $correlationId: string };
}

/** Returns the cause of a service's work in response to an event: it continues the request that led to the event. */
export function causeOfEvent(service: string, { id, metadata }: CausingEvent): Cause {
  return {
    actor: { kind: 'service', id: service },
    requestId: asId<RequestId>(metadata.requestId),
    correlationId: metadata.$correlationId,
    causationId: id,
  };
}
