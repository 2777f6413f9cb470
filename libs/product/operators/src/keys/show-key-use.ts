import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { decodeOwn, EventStore, type ReceivedEvent } from '@app/event-store';
import { Cursors, type Operator } from '@app/http';
import { instantIn, notFound, ok, refuse, type Instant, type Result } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { eventsReadMax, usersShownMax, type KeyUse, type PartnerKey } from './keys.schema';
import { OperatorReads } from '../operator-log/operator-reads';

/** Events per read. */
const pageEvents = 500;

/**
 * Returns the use of a partner key, according to the newest events of the store, or to those before a cursor. The
 * access is logged. Refuses with `invalid_cursor`, `not_found`. @throws Unavailable
 */
export class ShowKeyUse extends Query<Result<KeyUse>> {
  constructor(
    readonly operator: Operator,
    readonly keyId: string,
    readonly cursor: string | undefined,
  ) {
    super();
  }
}

@QueryHandler(ShowKeyUse)
export class ShowKeyUseHandler implements IQueryHandler<ShowKeyUse> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
    private readonly store: EventStore,
  ) {}

  async execute({ operator, keyId, cursor }: ShowKeyUse): Promise<Result<KeyUse>> {
    const binding = { list: 'operator.keys.used', userId: operator.operatorId, filters: { keyId } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    await this.reads.log(operator, { operation: 'keys.used', target: keyId });
    const key = await this.gate.find(() => this.keyOf(keyId));
    if (key === null) return refuse(notFound);
    const tally = new KeyUseTally(keyId);
    const next = await this.readBack(before.value ?? 'end', tally);
    const nextCursor = next === null ? null : this.cursors.mint(binding, [next]);
    return ok({ key, ...tally.shown(), nextCursor });
  }

  private async keyOf(keyId: string): Promise<PartnerKey | null> {
    const [key] = await this.database.query<PartnerKey>(
      `SELECT key_id AS "keyId", label, feed, minted_at AS "createdAt", revoked_at AS "revokedAt"
       FROM {partner_keys} WHERE key_id = $1`,
      [keyId],
    );
    return key ?? null;
  }

  /** @returns the position before which the next page continues; null at the store's beginning */
  private async readBack(from: number | 'end', tally: KeyUseTally): Promise<number | null> {
    let before = from;
    for (let read = 0; read < eventsReadMax; read += pageEvents) {
      const page = await this.store.readAllRawBackwards(before, pageEvents);
      for (const event of page) tally.take(event);
      const oldest = page.at(-1);
      if (oldest === undefined || page.length < pageEvents) return null;
      before = oldest.position;
    }
    return before === 'end' ? null : before;
  }
}

interface Tally {
  events: number;
  readonly lastAt: Instant | null;
}

/** Sums up a partner key's use from events given newest first: the first event of a user or a type is the last use. */
class KeyUseTally {
  private readonly users = new Map<string, Tally>();
  private readonly types = new Map<string, Tally>();
  private readonly requests = new Set<string>();
  private events = 0;
  private lastUsedAt: Instant | null = null;
  private newest: Instant | null = null;
  private oldest: Instant | null = null;
  private read = 0;

  constructor(private readonly keyId: string) {}

  /** Counts an event if the key caused it. */
  take(received: ReceivedEvent): void {
    this.read += 1;
    const stored = decodeOwn(received);
    if (stored === null) return;
    const at = instantOf(stored.payload['at']);
    this.newest ??= at;
    this.oldest = at ?? this.oldest;
    const { actor, requestId } = stored.metadata;
    if (actor.kind !== 'user' || actor.partnerKeyId !== this.keyId) return;
    this.events += 1;
    this.lastUsedAt ??= at;
    this.requests.add(requestId);
    count(this.users, actor.id, at);
    count(this.types, stored.type, at);
  }

  shown(): Omit<KeyUse, 'key' | 'nextCursor'> {
    const users = [...this.users].map(([userId, { events, lastAt }]) => ({ userId, events, lastAt }));
    return {
      read: { events: this.read, from: this.oldest, to: this.newest },
      lastUsedAt: this.lastUsedAt,
      requests: this.requests.size,
      events: this.events,
      users: users.slice(0, usersShownMax),
      omittedUsers: Math.max(0, users.length - usersShownMax),
      types: [...this.types].map(([type, { events, lastAt }]) => ({ type, events, lastAt })),
    };
  }
}

function count(tallies: Map<string, Tally>, of: string, at: Instant | null): void {
  const tally = tallies.get(of);
  if (tally === undefined) tallies.set(of, { events: 1, lastAt: at });
  else tally.events += 1;
}

function instantOf(at: unknown): Instant | null {
  return typeof at === 'string' ? instantIn(at) : null;
}
