import { failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { eventTypeFilter, START, type AllStreamResolvedEvent, type EventStoreDBClient } from '@eventstore/db-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { asSubscription, untilOver } from '../calls/open-calls';
import { cutIn, cutInWords, hasAccessList } from './stream-metadata';

const openAgainMs = 1_000;
/** The server reports how far it has searched after this many search windows. */
const checkpointInterval = 32;

const logger = new Logger('StreamWatch');

/** A change that hides or removes events of a stream; `words` is null when the metadata hides nothing (any more). */
export interface StreamChange {
  readonly stream: string;
  readonly words: string | null;
  /** Whether the stream has an access list of its own. */
  readonly hasAccessList: boolean;
}

export interface MetadataWatching {
  /** The position to begin after; 0: from the beginning. */
  readonly after: number;
  readonly signal: AbortSignal;
  /** Called with one change at a time; after a throw the change is delivered again after a pause. */
  onChange(this: void, change: StreamChange, position: number): Promise<void>;
  /** Called when the store has no such change between the last one and this position. */
  onLooked(this: void, position: number): Promise<void>;
  /** Whether every change has been delivered, and new ones arrive as they happen. */
  onFollowed(this: void, isFollowed: boolean): void;
}

/**
 * Follows the metadata of all streams, and tombstones, until the signal aborts. No process of the product writes either: an administrator
 * of the event store does.
 */
export async function watchMetadata(client: EventStoreDBClient, watching: MetadataWatching): Promise<void> {
  const { signal } = watching;
  let after = watching.after;
  await asSubscription(client, async () => {
    while (!signal.aborted) {
      after = await watchOnce(client, { ...watching, after });
      watching.onFollowed(false);
      await sleep(openAgainMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
    }
  });
}

/** Runs one subscription to its end. @returns the position up to which everything was handled */
async function watchOnce(client: EventStoreDBClient, watching: MetadataWatching): Promise<number> {
  const steps = new Steps(watching);
  const { after } = watching;
  const subscription = client.subscribeToAll({
    fromPosition: after === 0 ? START : { commit: BigInt(after), prepare: BigInt(after) },
    filter: eventTypeFilter({
      prefixes: ['$metadata', '$streamDeleted'],
      checkpointInterval,
      checkpointReached: (_, position) => steps.looked(Number(position.commit)),
    }),
  });
  subscription.on('caughtUp', () => steps.caughtUp());
  subscription.on('data', ({ event }: AllStreamResolvedEvent) => {
    if (event !== undefined) steps.changed(event);
  });
  await untilOver(subscription, AbortSignal.any([watching.signal, steps.failed]), logger);
  return steps.end();
}

/** Handles the events of one subscription one after the other, and none after the first failure. */
class Steps {
  private handling: Promise<void> = Promise.resolve();
  private readonly failing = new AbortController();
  private after: number;

  constructor(private readonly watching: MetadataWatching) {
    this.after = watching.after;
  }

  get failed(): AbortSignal {
    return this.failing.signal;
  }

  looked(position: number): Promise<void> {
    return this.then(async () => {
      if (position <= this.after) return;
      await this.watching.onLooked(position);
      this.after = position;
    });
  }

  caughtUp(): void {
    void this.then(async () => this.watching.onFollowed(true));
  }

  changed(event: NonNullable<AllStreamResolvedEvent['event']>): void {
    const position = Number(event.position.commit);
    const change = changeIn(event.streamId, event.type, event.data);
    void this.then(async () => {
      if (change !== null) await this.watching.onChange(change, position);
      this.after = Math.max(this.after, position);
    });
  }

  /** @returns the position up to which everything was handled */
  async end(): Promise<number> {
    this.failing.abort();
    await this.handling;
    return this.after;
  }

  private then(step: () => Promise<void>): Promise<void> {
    this.handling = this.handling
      .then(async () => (this.failing.signal.aborted ? undefined : step()))
      .catch((error: unknown) => {
        logger.warn(`a change of a stream was not taken in, and comes again: ${failureWords(error)}`);
        this.failing.abort();
      });
    return this.handling;
  }
}

function changeIn(stream: string, type: string, data: unknown): StreamChange | null {
  if (type === '$streamDeleted') return { stream, words: 'tombstoned', hasAccessList: false };
  if (!stream.startsWith('$$')) return null;
  const bytes = data instanceof Uint8Array ? data : Buffer.from(JSON.stringify(data) ?? '');
  const cut = cutIn(bytes);
  return {
    stream: stream.slice(2),
    words: cut === null ? null : cutInWords(cut),
    hasAccessList: hasAccessList(bytes),
  };
}
