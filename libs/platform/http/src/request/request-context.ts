import type { Cause, IdentityId, Instant, JsonObject, PartnerKeyId, RequestId, UserId } from '@app/kernel';
import type { Span } from '@app/runtime';
import type { FastifyRequest } from 'fastify';
import type { DtoClass } from '@app/schema';
import type { Area, Contract } from '../operation/operation';
import type { OperatorScope } from '../operation/operator-scopes';
import type { RequestSubjects } from './request-subjects';

/** The identity of an admitted `/v1` request to an operation that needs no account. */
export interface AdmittedIdentity {
  readonly id: IdentityId;
  readonly subject: string;
  readonly issuer: string;
  readonly tokenExpiresAt: Instant;
  /** Returns the cause of commands that this request issues for its user, whose id its log line then has. */
  causeFor(this: void, userId: UserId): Cause;
}

/** The user and the partner key of an admitted `/v1` request. */
export interface AdmittedCaller {
  readonly userId: UserId;
  readonly subject: string;
  readonly issuer: string;
  readonly tokenExpiresAt: Instant;
  readonly partnerKeyId: PartnerKeyId;
  readonly requestId: RequestId;
  /** All claims of the user's token. */
  readonly claims: JsonObject;
  /** The cause of commands that this request issues. */
  readonly cause: Cause;
}

/** The operator who sent an admitted `/operator/v1` request. */
export interface AdmittedOperator {
  /** Derived from issuer and subject. */
  readonly operatorId: string;
  readonly subject: string;
  readonly issuer: string;
  /** The scopes that the token names. */
  readonly scopes: readonly string[];
  /** The cause of commands that this request issues. */
  readonly cause: Cause;
}

/** The hooks' view of a route, derived from its contract once when it is registered. */
export interface RoutePlan {
  /** The operation's name in logs and metrics, as in the specification: `runs.start`; an operator's with the prefix `operator.`. */
  readonly operation: string;
  /** The route's pattern. */
  readonly pattern: string;
  readonly area: Area;
  /** The scope that the operator's token must include; null in other areas. */
  readonly scope: OperatorScope | null;
  readonly account: 'required' | 'not required';
  readonly weight: number;
  /** Whether its path names nothing but the user: it begins or lists something. Others continue with an existing object. */
  readonly begins: boolean;
  /** Whether it may wait for something other than work of this deployment. */
  readonly waits: boolean;
  /** Whether its answer ends within a time of its own. */
  readonly takesLong: boolean;
  /** Path parameters that hold UUIDs: every `:…Id` and `:…Key` of a partner's or an operator's route. */
  readonly idParameters: readonly string[];
  /** `json` is parsed strictly, `bytes` are passed on as a Buffer, a `stream` while it arrives. */
  readonly body: 'json' | 'bytes' | 'stream';
  /** Maximum size of the body; null for the deployment's limit for JSON bodies. */
  readonly bodyLimitBytes: number | null;
  readonly bodyDto: DtoClass | 'unchecked';
  readonly queryDto: DtoClass | 'unchecked';
}

/** State of one request while it is served; written by the hooks, read by handlers and the request log. */
export interface RequestContext {
  /** Null when no route matched. */
  readonly plan: RoutePlan | null;
  readonly startedAtMs: number;
  /** Null if it is not traced. */
  readonly span: Span | null;
  /** Null for an operation that needs an account. */
  identity: AdmittedIdentity | null;
  /** Null where the identity has no account. */
  caller: AdmittedCaller | null;
  operator: AdmittedOperator | null;
  /** The user of commands that an identity issued, who may have had no account before. */
  openedUserId: UserId | null;
  /** Known before the user is. */
  partnerKeyId: string | null;
  /** The reason, or else the kind, of the answered problem. */
  failedBy: string | null;
  /** The ids in its answer. */
  answeredAbout: RequestSubjects;
  /** Marks that this process does not work on it at present: its body or its answer is in flight. */
  rests: () => void;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined on the bare request of a URL that could not be decoded. */
    parley: RequestContext | null | undefined;
  }
  interface FastifyContextConfig {
    contract?: Contract;
    routePlan?: RoutePlan;
  }
}

/** The context of a request that has passed the first hook. */
export function contextOf(request: FastifyRequest): RequestContext {
  if (!request.parley) throw new Error('the request has no context: a hook ran too early');
  return request.parley;
}
