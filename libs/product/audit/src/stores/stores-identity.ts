import { Injectable } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Clock } from '@app/kernel';
import { Database } from '@app/read-store';
import { Checkpoints } from '../signing/checkpoints';
import type { LogHold } from '../log/log-hold';
import { LogIdentity, type LogIdentityRow } from '../log/log-identity';
import { originIn, unreadable, type FoundOrigin } from './log-origin';
import { LogTables } from '../log/log-tables';
import { holdsSeen, seenBy, type Seen } from './store-evidence';

/** The database and the event store are of two deployments or of two ages; the message says which, and what to do. */
export class OtherStore extends Error {}

/** The findings about the two stores. */
interface StoresSeen {
  readonly row: LogIdentityRow;
  /** The event store's origin, from its own stream. */
  readonly origin: FoundOrigin;
  readonly seen: Seen;
}

/**
 * Why these two stores cannot be used together; null if they can. Changes nothing. Throws Unavailable. Source of the
 * rule: docs/decisions/proof.md, "Which store is this".
 */
async function whyApart(store: EventStore, { row, origin, seen }: StoresSeen): Promise<string | null> {
  // The last alternative is a resumption as a copy that was interrupted between the event and the row.
  if (row.origin !== null && origin !== unreadable && origin !== row.origin && origin !== row.resuming?.origin)
    return ofAnother(row.origin, origin, await store.endPosition());
  const held = await holdsSeen(store, seen);
  if (held === 'other') return ofAnother(row.origin, origin, await store.endPosition());
  if (held === 'less') return `${isOlder(await store.endPosition(), seen.position)}; ${restoreBoth}`;
  return null;
}

const restoreBoth =
  'set EVENTSTORE_URL to the event store that goes with DATABASE_URL or, where it was restored, restore the database from a copy that is no newer';

function isOlder(end: number, position: number): string {
  const older = 'it is another one, or one of an older copy';
  return end < position
    ? `EVENTSTORE_URL names an event store that ends at position ${end}, and the database (DATABASE_URL) has seen it up to ${position}: ${older}`
    : `EVENTSTORE_URL names an event store that lacks events which the database (DATABASE_URL) has seen: ${older}`;
}

function ofAnother(own: string | null, found: FoundOrigin, end: number): string {
  const database = own ?? 'another deployment, by the events that it has seen';
  const holds = typeof found !== 'string' ? (end === 0 ? 'is empty' : 'holds no log of events') : `belongs to ${found}`;
  const mend = `set EVENTSTORE_URL to the event store of ${own ?? 'that deployment'}, or DATABASE_URL to the database that goes with this event store`;
  return `EVENTSTORE_URL names an event store that ${holds}, and the database (DATABASE_URL) belongs to ${database}: ${mend}`;
}

/** Why two stores do not belong together, and why the log signs nothing; null if they do, or it does. */
export interface StoresCompared {
  readonly origin: string | null;
  readonly apart: string | null;
  readonly hold: LogHold | null;
}

/** Compares a database of this version and an event store; changes nothing. Throws Unavailable. */
export async function compareStores(database: Database, store: EventStore): Promise<StoresCompared> {
  const identity = new LogIdentity(database);
  const [row, hold] = await Promise.all([identity.row(), identity.hold()]);
  const seen = await seenBy(database, new LogTables(database));
  const origin = await originIn(store);
  return {
    origin: origin === unreadable ? row.origin : origin,
    hold,
    apart: await whyApart(store, { row, origin, seen }),
  };
}

/** Checks both stores before anything uses them, and names them after each other if they are unnamed. */
@Injectable()
export class StoresIdentity {
  constructor(
    private readonly identity: LogIdentity,
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly tables: LogTables,
    private readonly checkpoints: Checkpoints,
    private readonly clock: Clock,
  ) {}

  /** @throws OtherStore if they do not belong together; Unavailable */
  async ensure(): Promise<void> {
    const found = await this.look();
    const apart = await whyApart(this.store, found);
    if (apart !== null) throw new OtherStore(apart);
    const { row, origin, seen } = found;
    // A log with a damaged stream has no readable name; the process that leads it names it.
    if (origin === unreadable) return;
    if (row.origin === null) await this.adopt(row, origin, seen);
    else await this.goOn(found, row.origin);
  }

  private async goOn({ row, origin }: StoresSeen, named: string): Promise<void> {
    await this.identity.settle();
    // A resumption as a copy that was interrupted between the event and the row.
    if (row.resuming !== null && origin === row.resuming.origin && origin !== named)
      await this.identity.endResume(row.resuming.hold, origin);
  }

  private async look(): Promise<StoresSeen> {
    const [row, seen, origin] = await Promise.all([
      this.identity.row(),
      seenBy(this.database, this.tables),
      originIn(this.store),
    ]);
    return { row, seen, origin };
  }

  /** If replicas start concurrently, one names the log and the others find its name. */
  private async adopt(row: LogIdentityRow, found: string | null, seen: Seen): Promise<void> {
    const origin = found ?? (await this.checkpoints.open());
    // If the log signed something, another database existed for it. A log that is only named was named just now by
    // another replica.
    const isNew = seen.position === 0 && row.held === null && (await this.checkpoints.current()).fixed !== null;
    await this.identity.adopt(origin, isNew ? newDatabaseHold(origin, this.clock.now()) : row.held);
    const named = (await this.identity.row()).origin;
    // Another replica, with another store, recorded its name concurrently.
    if (named !== origin && named !== null)
      throw new OtherStore(ofAnother(named, origin, await this.store.endPosition()));
  }
}

function newDatabaseHold(origin: string, since: string): LogHold {
  return {
    id: `new-database:${since}`,
    why: 'new_database',
    since,
    says: `the database is new, and the event store has a log already (${origin}), which another database was there for`,
  };
}
