import { decodeOwn, sealedUnder, type EventStore, type ReceivedEvent, type StoredEvent } from '@app/event-store';
import { erased, type UserId } from '@app/kernel';
import { Throttle } from '@app/read-store';
import { userKeyId, type KeyRing } from '@app/sealing';
import type { Gaps } from './gaps';

/** Events in one read: a few megabytes at most. */
const pageEvents = 32;

/** Counts of the events of some streams. */
export interface EventCounts {
  streams: number;
  events: number;
}

/** Reads the events of streams as lines of JSON, their words open or erased. */
export class EventLines {
  private readonly resting = new Throttle();

  constructor(
    private readonly store: EventStore,
    private readonly keys: KeyRing,
    private readonly userId: UserId,
    private readonly gaps: Gaps,
  ) {}

  /** Yields a line for each event, a damaged stream as far as it is left, and counts them. @throws Unavailable */
  async *of(streams: AsyncIterable<readonly string[]>, counts: EventCounts): AsyncGenerator<string, void, undefined> {
    for await (const names of streams) for (const stream of names) yield* this.linesIn(stream, counts);
  }

  private async *linesIn(stream: string, counts: EventCounts): AsyncGenerator<string, void, undefined> {
    let [next, isWhole] = [0, true];
    for (;;) {
      // Only briefly: a connection on which nothing arrives for long is closed.
      await this.resting.pause(true);
      const page = await this.store.readRemaining(stream, next, pageEvents);
      const last = page.at(-1);
      if (last === undefined) break;
      const own = page.map(decodeOwn);
      const from = next;
      isWhole &&= page.every(({ revision }, n) => revision === from + n) && own.every((stored) => stored !== null);
      yield (await this.opened(page, own)).join('');
      counts.events += page.length;
      next = last.revision + 1;
      if (page.length < pageEvents) break;
    }
    // A stream that has nothing never existed, or everything of it was taken.
    const damage = isWhole && next > 0 ? null : (await this.store.remainsOf(stream)).damage;
    if (next > 0 || damage !== null) counts.streams += 1;
    if (!isWhole || damage !== null)
      this.gaps.add(stream, damage?.message ?? `stream ${stream} misses events, or holds some of another program`);
  }

  /**
   * Words that are erased though their key was not destroyed were altered, or have lost their key: the archive lacks them. Words of an erased
   * user that were sealed since (`parley migrate-events --seal`) are under keys that never were kept.
   */
  private async nameUnreadable(stored: readonly StoredEvent[], open: readonly StoredEvent[]): Promise<void> {
    const closed = stored.filter((event, n) => hasErased(event, open[n] ?? event));
    if (closed.length === 0) return;
    const ownKey = userKeyId(this.userId);
    const keys = await this.keys.keysOf([ownKey, ...closed.flatMap((event) => sealedUnder(event) ?? [])]);
    if (keys.get(ownKey) === null) return;
    for (const event of closed) {
      const keyId = sealedUnder(event);
      const isDestroyed = keyId !== null && keys.get(keyId) === null;
      if (!isDestroyed)
        this.gaps.add(
          `event ${event.revision + 1} of ${event.stream}`,
          'some of its words were altered, or have lost their key',
        );
    }
  }

  private async opened(page: readonly ReceivedEvent[], own: readonly (StoredEvent | null)[]): Promise<string[]> {
    const closed = own.filter((stored) => stored !== null);
    const open = await this.store.open(closed);
    await this.nameUnreadable(closed, open);
    let at = 0;
    return page.map((received, n) => {
      const stored = own[n] === null ? undefined : open[at++];
      return `${JSON.stringify(stored === undefined ? foreign(received) : line(stored))}\n`;
    });
  }
}

/**
 * Whether the sealed words of an event are not all open. JSON that was opened may itself be `{"erased": true}`, so the one object that the
 * opening puts in place of words is what counts, and not its form.
 * @param open the event as `EventStore.open` returned it
 */
function hasErased({ metadata: { sealed } }: StoredEvent, open: StoredEvent): boolean {
  const all: object = { ...open.metadata.private, ...open.payload };
  return (sealed?.members ?? []).some((path) => path.split('/').reduce(memberOf, all) === erased);
}

function memberOf(value: unknown, name: string): unknown {
  // Reason for the assertion: any value may be asked for a member that it does not have.
  return (value as Readonly<Record<string, unknown>> | null | undefined)?.[name];
}

/** Every member of the event, those that no journal shows included. The names of operators are left out: they are other persons. */
function line({ stream, revision, id, type, payload, metadata }: StoredEvent): object {
  const { actor, requestId, v = 1 } = metadata;
  const event = { ...payload, ...metadata.private };
  return { stream, seq: revision + 1, id, type, version: v, by: actor.kind, requestId, event };
}

/** An event that another program wrote, as it is. */
function foreign({ stream, revision, id, type, data }: ReceivedEvent): object {
  return { stream, seq: revision + 1, id, type, bytes: data.toString('base64') };
}
