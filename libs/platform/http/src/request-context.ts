import type { Cause, Instant, JsonObject, PartnerKeyId, RequestId, UserId } from '@app/kernel';
import type { Span } from '@app/runtime';
import type { FastifyRequest } from 'fastify';
import type { DtoClass } from '@app/schema';
import type { Area, Contract } from './operation';
import type { OperatorScope } from './operator-scopes';
import type { RequestSubjects } from './request-subjects';

/** Whom an admitted `/v1` request acts for, and through which partner. */
export interface AdmittedCaller {
  readonly userId: UserId;
  readonly subject: string;
  readonly issuer: string;
  readonly tokenExpiresAt: Instant;
  readonly partnerKeyId: PartnerKeyId;
  readonly requestId: RequestId;
  /** All claims of the user's token. */
  readonly claims: JsonObject;
  /** What a command that this request gives is caused by. */
  readonly cause: Cause;
}

/** Who gave an admitted `/operator/v1` request. */
export interface AdmittedOperator {
  /** Derives from issuer and subject, as a user's id does. */
  readonly operatorId: string;
  readonly subject: string;
  readonly issuer: string;
  /** What the token is good for, as it names it. */
  readonly scopes: readonly string[];
  /** What a command that this request gives is caused by. */
  readonly cause: Cause;
}

/** What the hooks know of a route, worked out from its contract once when it is registered. */
export interface RoutePlan {
  /** Names the operation in logs and metrics, as in the specification: `runs.start`; an operator's with `operator.` before it. */
  readonly operation: string;
  /** The route's pattern. */
  readonly pattern: string;
  readonly area: Area;
  /** What the operator's token must be good for; null in other areas. */
  readonly scope: OperatorScope | null;
  readonly account: 'required' | 'not required';
  readonly weight: number;
  /** Its path names nothing but the user: it begins something, or looks around. Others go on with what is there. */
  readonly begins: boolean;
  /** It may wait for something that is no work of this deployment. */
  readonly waits: boolean;
  /** Path parameters that hold UUIDs; every `:…Id` and `:…Key` of a partner's or an operator's route does. */
  readonly idParameters: readonly string[];
  /** `json` is parsed strictly, `bytes` are handed over as a Buffer, a `stream` while it arrives. */
  readonly body: 'json' | 'bytes' | 'stream';
  /** Largest body; the deployment's limit for JSON bodies when null. */
  readonly bodyLimitBytes: number | null;
  readonly bodyDto: DtoClass | 'unchecked';
  readonly queryDto: DtoClass | 'unchecked';
}

/** What is known of one request while it is served; written by the hooks, read by handlers and the request log. */
export interface RequestContext {
  /** Null when no route matched. */
  readonly plan: RoutePlan | null;
  readonly startedAtMs: number;
  /** Null when it is not traced. */
  readonly span: Span | null;
  caller: AdmittedCaller | null;
  operator: AdmittedOperator | null;
  /** Known before the user is. */
  partnerKeyId: string | null;
  /** The reason, or else the kind, of the problem that was answered. */
  failedBy: string | null;
  /** What its answer says that it was about. */
  answeredAbout: RequestSubjects;
  /** Tells that this process does not work on it at present: its body is on its way, or its answer is. */
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

/** The context of a request that passed the first hook. */
export function contextOf(request: FastifyRequest): RequestContext {
  if (!request.parley) throw new Error('the request has no context: a hook ran too early');
  return request.parley;
}
