import { asId, type RequestId } from './ids';

/** Who acts: an end user through a partner, an operator, or the service itself (a reactor, the engine, a watchdog). */
export type Actor =
  | { readonly kind: 'user'; readonly id: string; readonly partnerKeyId: string }
  | { readonly kind: 'operator'; readonly id: string }
  | { readonly kind: 'service'; readonly id: string };

/** Why a command is given; every event that follows carries it in its metadata from the first event on. */
export interface Cause {
  readonly actor: Actor;
  /** The request that caused it; for what the service does by itself, the request that it continues, or a minted id. */
  readonly requestId: RequestId;
  /** Shared by everything that one outside request set in motion. */
  readonly correlationId: string;
  /** The event or request that directly caused the command. */
  readonly causationId: string;
}

/**
 * The cause of what a request asks for.
 * @param correlationId the trace that the request is part of, where it is part of one
 */
export function causeOfRequest(actor: Actor, requestId: string, correlationId = requestId): Cause {
  return { actor, requestId: asId<RequestId>(requestId), correlationId, causationId: requestId };
}

/** The cause of what a service does by itself. Correlated by what it is about, `subjectId`, if it is about one thing. */
export function causeOfService(service: string, requestId: string, subjectId = requestId): Cause {
  const actor = { kind: 'service', id: service } as const;
  return { actor, requestId: asId<RequestId>(requestId), correlationId: subjectId, causationId: subjectId };
}

/** What a stored event says of its own cause. */
interface CausingEvent {
  readonly id: string;
  readonly metadata: { readonly requestId: string; readonly $correlationId: string };
}

/** The cause of what a service does because of an event: it continues the request that led to the event. */
export function causeOfEvent(service: string, { id, metadata }: CausingEvent): Cause {
  return {
    actor: { kind: 'service', id: service },
    requestId: asId<RequestId>(metadata.requestId),
    correlationId: metadata.$correlationId,
    causationId: id,
  };
}
