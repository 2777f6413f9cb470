import { failureWords, isOfDeployment } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { watchMetadata, type EventStore } from '@app/event-store';
import type { DamagedStream } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamMarks } from './stream-marks';

/** Real time. */
const examineEveryMs = 5_000;
/** Streams examined per round; each takes two or three reads. */
const examinedAtOnce = 50;
/** Maximum number of streams that are named; the others are only counted. */
const namedMax = 20;
const beginAgainMs = 1_000;

/**
 * Watches, from the start of the process, for streams of this product that were cut, deleted or tombstoned in the event store, and for
 * metadata that will cut some. Lists the damaged ones in `EventStore.damaged`, and removes those that are whole again.
 */
export class StreamWatch {
  private readonly logger = new Logger(StreamWatch.name);
  private readonly stopping = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  /** Streams that are whole, but whose metadata will hide events one day. */
  private readonly limited = new Map<string, string>();
  private readonly prefixes: readonly string[];
  private next = 0;

  /** @param categories of the streams of this product; an administrator may do as they like with others */
  constructor(
    private readonly store: EventStore,
    private readonly marks: StreamMarks,
    categories: readonly string[],
  ) {
    this.prefixes = categories.map((category) => `${category}-`);
  }

  /**
   * The troubles in words, each beginning with `stream`: twenty at most, those of the deployment's singleton streams first, and the number of
   * the others.
   */
  get troubles(): readonly string[] {
    const damaged = this.store.damaged.all.map(({ stream, message }) => ({ stream, words: message }));
    const limited = [...this.limited].map(([stream, words]) => ({
      stream,
      words: `stream ${stream} will lose events: its metadata say ${words}`,
    }));
    const all = [...damaged, ...limited].sort(byStream);
    const named = all.slice(0, namedMax).map(({ words }) => words);
    const others = all.length - namedMax;
    return others > 0 ? [...named, `stream troubles: ${others} more`] : named;
  }

  /** Number of streams by trouble. */
  get counts(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>([['limited', this.limited.size]]);
    for (const { damage } of this.store.damaged.all) counts.set(damage, (counts.get(damage) ?? 0) + 1);
    return counts;
  }

  /** Starts in the background. */
  start(): void {
    this.running = Promise.all([this.watch(), this.examineAgain()]);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async watch(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        await this.follow(signal);
      } catch (error) {
        this.logger.warn(`streams are not watched now: ${failureWords(error)}`);
        await sleep(beginAgainMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
      }
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const after = await this.marks.position();
    for (const [stream, words] of await this.marks.all()) await this.judge(stream, words);
    const { streamReads } = this.store;
    await watchMetadata(this.store.tailClient, {
      after,
      signal,
      onChange: async ({ stream, words, hasAccessList }, position) => {
        if (!this.prefixes.some((prefix) => stream.startsWith(prefix))) return;
        if (hasAccessList)
          this.logger.warn(
            `stream ${stream} has an access list of its own, by which others than the default list names may write or cut it`,
          );
        await this.judge(stream, words);
        await this.mark(stream, words);
        await this.marks.pass(position);
      },
      onLooked: (position) => this.marks.pass(position),
      onFollowed: (isFollowed) => (streamReads.metadataFollowed = isFollowed),
    });
  }

  /**
   * Marks a stream while its metadata hide events, or some are missing: after a scavenge they are, whatever the metadata say, and the next
   * process must know it from its start. Throws Unavailable.
   */
  private async mark(stream: string, words: string | null): Promise<void> {
    if (words === null && this.store.damaged.of(stream) === null) await this.marks.remove(stream);
    else await this.marks.mark(stream, words);
  }

  /** Compares a stream that is or was marked with what can be read of it. Throws Unavailable. */
  private async judge(stream: string, words: string | null): Promise<void> {
    const { damage } = await this.store.remainsOf(stream);
    const known = this.store.damaged.of(stream);
    if (damage !== null) this.store.damaged.add(damage);
    else if (known !== null) await this.examine(known);
    if (damage === null && words !== null && !this.limited.has(stream))
      this.logger.error(
        `stream ${stream} will lose events: its metadata say ${words}; take them back (docs/runbook.md, "ParleyStreamDamaged")`,
      );
    if (damage !== null || words === null) this.limited.delete(stream);
    else this.limited.set(stream, words);
  }

  /** Examines streams again, because metadata may be reverted and streams grow beyond a count. */
  private async examineAgain(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await sleep(examineEveryMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
      if (!signal.aborted) await this.examineSome();
    }
  }

  /** Checks whether a damaged stream still is damaged. Throws Unavailable. */
  private async examine(seen: DamagedStream): Promise<void> {
    const now = await this.store.streamReads.examine(seen);
    if (now === null) this.store.damaged.remove(seen.stream);
    else this.store.damaged.add(now);
  }

  private async examineSome(): Promise<void> {
    const { damaged } = this.store;
    try {
      const all = damaged.all;
      const turn = all.slice(this.next, this.next + examinedAtOnce);
      this.next = this.next + examinedAtOnce < all.length ? this.next + examinedAtOnce : 0;
      for (const seen of turn) await this.examine(seen);
      for (const [stream, words] of [...this.limited].slice(0, examinedAtOnce)) await this.judge(stream, words);
    } catch (error) {
      this.logger.debug(`damaged streams are examined later: ${failureWords(error)}`);
    }
  }
}

/** The deployment's singleton streams first, because the calls of all users need them; then by name. */
function byStream(
  { stream: one }: { readonly stream: string },
  { stream: other }: { readonly stream: string },
): number {
  const first = Number(isOfDeployment(other)) - Number(isOfDeployment(one));
  return first === 0 ? Number(one > other) - Number(one < other) : first;
}
