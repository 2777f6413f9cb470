import { asId, because, causeOfRequest, notFound, Unavailable } from '@app/kernel';
import type { Cause, IdentityId, PartnerKeyId, RequestId, UserId } from '@app/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { GroupLoader } from '@app/runtime';
import { bearerOf } from './bearer';
import type { Caller, CallerIdentity } from '../request/caller';
import type { KeyFailures } from './key-failures';
import { malformedIds, pathParameters } from '../request/path-ids';
import type { Accounts, IdentityAccount, KnownIdentity, KnownPartnerKey, RateAnswer, RateSubject } from '../ports';
import type { RateWindows } from '../ports';
import type { PartnerKeyCache } from './partner-key-cache';
import { notAuthenticated, tokenRefused, type Failure } from '../problems/problems';
import { rateHeaders, type RateLimit } from '../rate-limits/rate-limits';
import { contextOf, type RoutePlan } from '../request/request-context';
import type { TokenIdentity, AccessTokens } from './access-tokens';

const accountsPerQueryMax = 500;
const accountsWaitingMax = 10_000;

/** The part of a route's plan that admission needs. */
export type GuardedRoute = Pick<RoutePlan, 'account' | 'weight' | 'idParameters'>;

/** A good key, or the reason why there is none. */
type KeyVerdict = { readonly known: KnownPartnerKey } | { readonly failure: Failure };

/**
 * Decides whether a `/v1` request may reach its operation, before its body is read, in the order of docs/decisions/conventions.md: partner
 * key, rate limit of the key, user token, rate limit of the user, account state, path subject, other path ids.
 */
export class RequestGuard {
  private readonly byIdentity: GroupLoader<KnownIdentity, IdentityAccount | null>;
  /** Identities whose tokens were verified lately: one object for each token, so that a batch names it once. */
  private readonly known = new WeakMap<TokenIdentity, KnownIdentity>();

  constructor(
    private readonly keys: PartnerKeyCache,
    private readonly failures: KeyFailures,
    private readonly tokens: AccessTokens,
    private readonly accounts: Accounts,
    private readonly windows: RateWindows,
    private readonly limits: { readonly key: RateLimit; readonly user: RateLimit },
    private readonly log: Logger,
  ) {
    this.byIdentity = new GroupLoader(
      async (identities) => {
        const found = await accounts.findByIdentity([...new Set(identities)]);
        // Reason for the assertion: the loader rejects the request whose answer is an error, and no other.
        return identities.map(({ id }) => (found.get(id) ?? null) as IdentityAccount | null);
      },
      { batchMax: accountsPerQueryMax, waitingMax: accountsWaitingMax },
    );
  }

  /**
   * Returns null if the request is admitted: its caller is then in its context, and the ids of its path are in lower case. Sets the rate
   * fields of the answer either way. @throws Unavailable
   */
  async admit(request: FastifyRequest, reply: FastifyReply, plan: GuardedRoute): Promise<Failure | null> {
    const found = this.findKey(request, reply);
    // Usually cached; then nothing is awaited.
    const verdict = found instanceof Promise ? await found : found;
    if ('failure' in verdict) return verdict.failure;
    const { keyId } = verdict.known;

    const entry: Entry = { request, reply, plan, keyId };
    const token = bearerOf(request.headers.authorization);
    const remembered = token === null ? null : this.tokens.cachedVerdict(token);
    // The hot path: key and user are counted in one call.
    if (remembered?.kind === 'accepted') return this.admitUser(entry, remembered.identity, [], this.keySubject(keyId));

    // A caller over the key's limit is refused before the costly verification.
    const answers = await this.windows.consume([this.keySubject(keyId)]);
    const overLimit = this.showRates(reply, answers);
    if (overLimit !== null) return overLimit;
    if (token === null) return notAuthenticated;
    const said = remembered ?? (await this.tokens.verify(token));
    if (said.kind === 'accepted') return this.admitUser(entry, said.identity, answers);
    if (said.kind === 'expired') return because('credential_expired');
    this.log.warn({ requestId: request.id, keyId, cause: said.cause }, 'a user token was refused');
    return tokenRefused;
  }

  /**
   * As `admit`, for operations without a user: partner key, rate limit of the key, and its right to the feed. A user token is ignored.
   * @throws Unavailable
   */
  async admitToFeed(request: FastifyRequest, reply: FastifyReply): Promise<Failure | null> {
    const verdict = await this.findKey(request, reply);
    if ('failure' in verdict) return verdict.failure;
    const { keyId, feed } = verdict.known;
    const answers = await this.windows.consume([this.keySubject(keyId)]);
    const overLimit = this.showRates(reply, answers, [this.limits.key]);
    return overLimit ?? (feed ? null : because('permission_required'));
  }

  private findKey(request: FastifyRequest, reply: FastifyReply): KeyVerdict | Promise<KeyVerdict> {
    const key = request.headers['x-api-key'];
    if (typeof key !== 'string' || key === '')
      return { failure: this.withoutKey(request, reply, 'partner_key_required') };
    const verdictOn = (known: KnownPartnerKey | null): KeyVerdict => {
      if (known === null) return { failure: this.withoutKey(request, reply, 'partner_key_invalid') };
      contextOf(request).partnerKeyId = known.keyId;
      return { known };
    };
    const found = this.keys.find(key, () => this.failures.isOver(request));
    return found instanceof Promise ? found.then(verdictOn) : verdictOn(found);
  }

  /** Limits failures per address for callers without a valid key; beyond the limit they must wait. */
  private withoutKey(
    request: FastifyRequest,
    reply: FastifyReply,
    reason: 'partner_key_required' | 'partner_key_invalid',
  ): Failure {
    const { admitted, waitSeconds } = this.failures.count(request);
    if (admitted) return because(reason);
    reply.header('retry-after', String(waitSeconds));
    return because('rate_limited');
  }

  /** @param uncounted the key, unless `earlier` has the answer of its window */
  private async admitUser(
    entry: Entry,
    identity: TokenIdentity,
    earlier: readonly RateAnswer[],
    ...uncounted: readonly RateSubject[]
  ): Promise<Failure | null> {
    const { request, reply, plan, keyId } = entry;
    const known = this.known.get(identity) ?? (await this.identified(identity));
    // Requests are counted by identity, because it is known before its account, and has no other.
    const user = { subject: `user:${known.id}`, limit: this.limits.user.perMinute, weight: plan.weight };
    // Requested together to reduce latency; evaluated in order.
    const [answers, account] = await Promise.all([
      this.windows.consume([...uncounted, user]),
      this.byIdentity.load(known),
    ]);
    const overLimit = this.showRates(reply, [...earlier, ...answers]);
    const userId = account?.userId ?? null;
    const context = contextOf(request);
    if (plan.account === 'not required') context.identity = identityFrom(identity, known.id, keyId, request);
    if (userId !== null) context.caller = callerFrom(identity, userId, keyId, request);
    return overLimit ?? accountFailure(account, plan) ?? pathFailure(request, plan, userId);
  }

  private async identified(identity: TokenIdentity): Promise<KnownIdentity> {
    const { issuer, subject } = identity;
    const known = { id: await this.accounts.identityIdOf({ issuer, subject }), issuer, subject };
    this.known.set(identity, known);
    return known;
  }

  private keySubject(keyId: PartnerKeyId): RateSubject {
    return { subject: `key:${keyId}`, limit: this.limits.key.perMinute };
  }

  private showRates(
    reply: FastifyReply,
    answers: readonly RateAnswer[],
    limits: readonly RateLimit[] = [this.limits.key, this.limits.user],
  ): Failure | null {
    reply.headers(rateHeaders(limits, answers));
    const last = answers.at(-1);
    if (last === undefined) throw new Unavailable('database');
    if (last.admitted) return null;
    reply.header('retry-after', String(last.waitSeconds));
    return because('rate_limited');
  }
}

/** A request whose partner key is good. */
interface Entry {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly plan: GuardedRoute;
  readonly keyId: PartnerKeyId;
}

function accountFailure(account: IdentityAccount | null, plan: GuardedRoute): Failure | null {
  if (account === null) return plan.account === 'not required' ? null : because('account_not_provisioned');
  return account.disabled ? because('account_disabled') : null;
}

/** The user of the path must be the caller; every id is converted to lower case, or not found. */
function pathFailure(request: FastifyRequest, plan: GuardedRoute, userId: UserId | null): Failure | null {
  const malformed = malformedIds(request, plan.idParameters);
  if (malformed.includes('userId')) return notFound;
  if (plan.idParameters.includes('userId') && pathParameters(request)['userId'] !== userId)
    return because('subject_mismatch');
  return malformed.length > 0 ? notFound : null;
}

function callerFrom(
  { subject, issuer, expiresAt, claims }: TokenIdentity,
  userId: UserId,
  partnerKeyId: PartnerKeyId,
  request: FastifyRequest,
): Caller {
  const requestId = asId<RequestId>(request.id);
  const cause = causeIn(request, userId, partnerKeyId);
  return { userId, subject, issuer, tokenExpiresAt: expiresAt, partnerKeyId, requestId, claims, cause };
}

function identityFrom(
  { subject, issuer, expiresAt }: TokenIdentity,
  id: IdentityId,
  partnerKeyId: PartnerKeyId,
  request: FastifyRequest,
): CallerIdentity {
  const causeFor = (userId: UserId) => {
    contextOf(request).openedUserId = userId;
    return causeIn(request, userId, partnerKeyId);
  };
  return { id, subject, issuer, tokenExpiresAt: expiresAt, causeFor };
}

function causeIn(request: FastifyRequest, userId: UserId, partnerKeyId: PartnerKeyId): Cause {
  const actor = { kind: 'user', id: userId, partnerKeyId } as const;
  // If the request is traced, its consequences belong to its trace, in every process.
  return causeOfRequest(actor, request.id, contextOf(request).span?.traceparent);
}
