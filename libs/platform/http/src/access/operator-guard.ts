import { asId, because, causeOfRequest, notFound, Unavailable, type RequestId } from '@app/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { AccessTokens, TokenIdentity } from './access-tokens';
import { bearerOf } from './bearer';
import { derivedIdOf } from './derived-id';
import type { KeyFailures } from './key-failures';
import type { Operator } from '../request/caller';
import { malformedIds } from '../request/path-ids';
import type { RateWindows } from '../ports';
import { notAuthenticated, tokenRefused, type Failure } from '../problems/problems';
import { rateHeaders } from '../rate-limits/rate-limits';
import { contextOf, type RoutePlan } from '../request/request-context';

/** The part of a route's plan that admission needs. */
export type OperatorRoute = Pick<RoutePlan, 'scope' | 'idParameters'>;

/**
 * Decides whether an `/operator/v1` request may reach its operation, before its body is read: operator token, rate limit of the operator,
 * scope, ids of the path (docs/decisions/operators.md). Neither a partner key nor a user's token gives access.
 */
export class OperatorGuard {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly failures: KeyFailures,
    private readonly windows: RateWindows,
    private readonly perMinute: number,
    private readonly log: Logger,
  ) {}

  /**
   * Returns null if the request is admitted: its operator is then in its context, and the ids of its path are in lower case.
   * @param route null if no route serves the request: then only the token is checked
   * @throws Unavailable
   */
  async admit(request: FastifyRequest, reply: FastifyReply, route: OperatorRoute | null): Promise<Failure | null> {
    const token = bearerOf(request.headers.authorization);
    if (token === null) return this.withoutToken(request, reply, notAuthenticated);
    const verdict = this.tokens.cachedVerdict(token) ?? (await this.tokens.verify(token));
    if (verdict.kind === 'expired') return this.withoutToken(request, reply, because('credential_expired'));
    if (verdict.kind === 'refused') {
      this.log.warn({ requestId: request.id, cause: verdict.cause }, 'an operator token was refused');
      return this.withoutToken(request, reply, tokenRefused);
    }
    const overLimit = await this.count(verdict.identity, reply);
    const operator = operatorFrom(verdict.identity, request);
    contextOf(request).operator = operator;
    return overLimit ?? routeFailure(request, operator, route);
  }

  /** Limits failures per address for callers without a good token; beyond the limit they must wait. */
  private withoutToken(request: FastifyRequest, reply: FastifyReply, failure: Failure): Failure {
    const { admitted, waitSeconds } = this.failures.count(request);
    if (admitted) return failure;
    reply.header('retry-after', String(waitSeconds));
    return because('rate_limited');
  }

  private async count(identity: TokenIdentity, reply: FastifyReply): Promise<Failure | null> {
    const limit = { name: 'operator', perMinute: this.perMinute };
    const [answer] = await this.windows.consume([
      { subject: `operator:${derivedIdOf(identity)}`, limit: this.perMinute },
    ]);
    if (answer === undefined) throw new Unavailable('database');
    reply.headers(rateHeaders([limit], [answer]));
    if (answer.admitted) return null;
    reply.header('retry-after', String(answer.waitSeconds));
    return because('rate_limited');
  }
}

function routeFailure(request: FastifyRequest, { scopes }: Operator, route: OperatorRoute | null): Failure | null {
  if (route === null) return null;
  if (route.scope === null || !scopes.includes(route.scope)) return because('permission_required');
  return malformedIds(request, route.idParameters).length > 0 ? notFound : null;
}

function operatorFrom(identity: TokenIdentity, request: FastifyRequest): Operator {
  const { subject, issuer, claims } = identity;
  const requestId = asId<RequestId>(request.id);
  const { scope } = claims;
  const actor = { kind: 'operator', id: subject } as const;
  return {
    operatorId: derivedIdOf(identity),
    subject,
    issuer,
    // RFC 8693, section 4.2: a list separated by spaces.
    scopes: typeof scope === 'string' ? scope.split(' ') : [],
    cause: causeOfRequest(actor, requestId, contextOf(request).span?.traceparent),
  };
}
