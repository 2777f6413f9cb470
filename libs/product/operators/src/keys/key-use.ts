import { decodeOwn, type ReceivedEvent } from '@app/event-store';
import { instantIn, type Instant } from '@app/kernel';
import { usersShownMax, type KeyUse } from './keys.schema';

interface Tally {
  events: number;
  readonly lastAt: Instant | null;
}

/** Sums up a partner key's use from events given newest first: the first event of a user or a type is the last use. */
export class KeyUseTally {
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
