import type { IdentityId, PartnerKeyId, Unavailable, UserId } from '@app/kernel';

/** The form of a partner key: `pk_` and 32 random bytes in base64url. */
export const partnerKeyForm = /^pk_[A-Za-z0-9_-]{43}$/;

/** A good partner key. */
export interface KnownPartnerKey {
  readonly keyId: PartnerKeyId;
  /** Whether it may read the feed of all users. */
  readonly feed: boolean;
}

/** Partner keys by the lower-case hex SHA-256 of the key. Answers are cached for 10 s, except for keys that the same process revokes. */
export abstract class PartnerKeys {
  /** The keys with these (distinct) hashes; unknown and revoked ones are absent. @throws Unavailable */
  abstract findMany(keysSha256Hex: readonly string[]): Promise<ReadonlyMap<string, KnownPartnerKey>>;

  /** Calls the listener for each key that this process revokes, so that it drops what it has cached. */
  abstract onRevoked(listener: (keyId: PartnerKeyId) => void): void;

  /** The keys among these that no process has revoked. @throws Unavailable */
  abstract live(keyIds: readonly PartnerKeyId[]): Promise<ReadonlySet<PartnerKeyId>>;
}

export interface AccountState {
  readonly disabled: boolean;
}

/** A verified identity of a login provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** An identity with the id under which stores know it. */
export interface KnownIdentity extends Identity {
  readonly id: IdentityId;
}

/** The account of an identity. */
export interface IdentityAccount extends AccountState {
  /** Null for an identity that was erased, which counts as disabled. */
  readonly userId: UserId | null;
}

/** The accounts of users; read for every request, many at once, and never cached here. */
export abstract class Accounts {
  /** Returns the id of an identity; only a process' first call waits. @throws Unavailable */
  abstract identityIdOf(identity: Identity): IdentityId | Promise<IdentityId>;

  /**
   * The account of each of these identities that has one, or the reason why it cannot be read; the others are absent.
   * @throws Unavailable
   */
  abstract findByIdentity(
    identities: readonly KnownIdentity[],
  ): Promise<ReadonlyMap<IdentityId, IdentityAccount | Unavailable>>;

  /** The state of each of these (distinct) users that has an account; the others are absent. @throws Unavailable */
  abstract findMany(userIds: readonly UserId[]): Promise<ReadonlyMap<UserId, AccountState>>;
}

export interface RateSubject {
  /** The name of the window: `key:<id>` or `user:<id>`. */
  readonly subject: string;
  /** Requests admitted in any 60 s. */
  readonly limit: number;
  /** Number of requests that this one counts as; 1 when absent. At most the limit, because a larger one could never be admitted. */
  readonly weight?: number;
}

export interface RateAnswer {
  readonly admitted: boolean;
  /** Requests that the window still admits now. */
  readonly remaining: number;
  /** Whole seconds until the oldest counted request leaves the window and frees its place: 1 to 60. */
  readonly resetSeconds: number;
  /** Whole seconds until a request that was refused has room: 1 to 60; 0 when it was admitted. */
  readonly waitSeconds: number;
}

/**
 * Sliding 60 s windows over the whole deployment (docs/decisions/conventions.md, "HTTP"): exact, in real time, refused requests uncounted.
 */
export abstract class RateWindows {
  /**
   * Counts one request against each of one or two subjects in turn, and stops at the first that refuses it. Returns an answer for each
   * subject that was tried: only the last one can be a refusal.
   * @throws Unavailable
   */
  abstract consume(subjects: readonly RateSubject[]): Promise<readonly RateAnswer[]>;
}

/** Read and write access to PostgreSQL; bound by the read store. */
export abstract class SqlExecutor {
  /**
   * Runs one statement in its own transaction, within bounded time; `preparedAs` keeps it prepared under that name.
   * @throws Unavailable when the database does not answer
   */
  abstract query<Row>(sql: string, parameters: readonly unknown[], preparedAs?: string): Promise<Row[]>;
}

export type Readiness = 'ok' | 'degraded' | 'away';

/** One dependency that `GET /readyz` reports; `away` makes the whole answer 503. */
export interface ReadinessCheck {
  readonly name: string;
  /** Whether it is read from the database: while that is away, its state is unknown and not reported. */
  readonly throughDatabase?: true;
  /** Its state, or the states of its parts by name. May reject or never settle: both count as `away`, after a second. */
  check(): Promise<Readiness | Readonly<Record<string, Readiness>>>;
}
