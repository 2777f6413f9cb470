import type { StoredEvent } from '@app/event-store';
import type { ConversationId } from '@app/kernel';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { FrameSink } from './event-socket';
import type { FrameSource } from './event-streams';
import type { JournalKind } from './fin-event';
import { durableFrame } from './fin-event';
import { FrameWindow, oneBuffer, type PlacedFrame } from './frame-window';
import type { Journal } from './journal';

/** A write to each reader has about this size at most, and sockets get a turn before the next one. */
const burstBytesMax = 64 * 1024;
/** A page of a replay aims at this size, and has between these numbers of events. */
const pageBytesAim = 128 * 1024;
const pageEventsMin = 8;
const pageEventsMax = 500;
const pageEventsFirst = 128;
/** A store that does not show an event yet, which its subscription showed, is asked again after this. */
const behindPauseMs = 50;
/** Newest events that are kept, encoded, for readers that are about to join. */
const windowMax = { frames: 256, bytes: 128 * 1024 };
/** Finished messages that are remembered, to drop their late deltas. */
const finishedMessagesMax = 64;

/** A run of encoded events that can be shared by many readers. */
interface Page {
  readonly bytes: Buffer;
  readonly count: number;
}

/**
 * One conversation's events on their way to all readers of this process: encoded once, written to each socket.
 *
 * A reader is first replayed to, page by page as fast as it reads, and then joins the live ones. It joins in the same turn
 * in which nothing is left to replay to it, so it gets every event once, in order.
 */
export class ConversationHub implements FrameSource {
  private readonly window: FrameWindow;
  private readonly live = new Set<FrameSink>();
  private readonly pages = new Map<string, Promise<Page>>();
  private readonly finished = new Set<string>();
  /** Encoded events on their way to the live readers. */
  private burst: PlacedFrame[] = [];
  private burstBytes = 0;
  private sending: Promise<void> | null = null;
  private givenUp = false;

  /** @param delivered the newest revision at the start: what follows comes through `deliver` */
  constructor(
    private readonly id: ConversationId,
    private readonly journal: Journal,
    private readonly kind: JournalKind,
    private delivered: number,
  ) {
    this.window = new FrameWindow(delivered, windowMax);
  }

  /**
   * Serves one reader from its `next` revision on; resolves when it is live or gone. `leave` is owed then.
   * Throws Unavailable when the store cannot be read.
   */
  async serve(reader: FrameSink): Promise<void> {
    for (let pageEvents = pageEventsFirst; ;) {
      await reader.waitForDrain();
      if (this.givenUp) reader.end();
      if (reader.closed || this.catchUpFromWindow(reader)) return;
      const page = await this.page(reader.next, pageEvents);
      if (page.count === 0) await sleep(behindPauseMs);
      else pageEvents = pageEventsFor(page);
      reader.write(page.bytes);
      reader.next += page.count;
    }
  }

  /** Forgets a reader. */
  leave(reader: FrameSink): void {
    this.live.delete(reader);
  }

  /**
   * Takes the event that follows the delivered ones; all that come in one turn of the event loop reach each live reader in one
   * write. Resolves early, but not while more waits than fits one write. An event seen before is skipped.
   * Throws when one is missing before it: this hub is of no use any more.
   */
  async deliver(event: StoredEvent): Promise<void> {
    const wanted = this.delivered + this.burst.length + 1;
    if (event.revision < wanted) return;
    if (event.revision > wanted) throw new Error(`${event.stream} misses revision ${wanted}`);
    const frame = this.encode(event);
    this.burst.push({ position: event.revision, bytes: frame });
    this.burstBytes += frame.length;
    this.sending ??= turn().then(() => this.send());
    if (this.burstBytes >= burstBytesMax) await this.sending;
  }

  /** Ends all readers after what was written to them: they come back, and read what they miss from the store. */
  giveUp(): void {
    this.givenUp = true;
    for (const reader of this.live) reader.end();
  }

  /** Writes a live frame of a message to every live reader, unless the whole message was delivered already. */
  deliverLive(messageId: string, frame: Buffer): void {
    if (this.finished.has(messageId)) return;
    for (const reader of this.live) reader.write(frame);
  }

  /** Drops frames that are too old to be of use. */
  age(nowMs: number): void {
    this.window.age(nowMs);
  }

  private send(): void {
    const frames = this.burst;
    this.burst = [];
    this.burstBytes = 0;
    this.sending = null;
    const first = this.delivered + 1;
    const nowMs = performance.now();
    for (const frame of frames) this.window.push(frame, nowMs);
    this.delivered += frames.length;
    const bytes = oneBuffer(frames);
    for (const reader of this.live) {
      // A reader whose cursor is past the head waits until the journal has got there.
      if (reader.next <= first) reader.write(bytes);
      else if (reader.next <= this.delivered) reader.write(oneBuffer(frames.slice(reader.next - first)));
      reader.next = Math.max(reader.next, this.delivered + 1);
    }
  }

  private catchUpFromWindow(reader: FrameSink): boolean {
    if (reader.next <= this.delivered) {
      const rest = this.window.from(reader.next - 1);
      if (rest === null) return false;
      reader.write(oneBuffer(rest));
      reader.next = this.delivered + 1;
    }
    this.live.add(reader);
    return true;
  }

  /** Readers that come back at the same time ask for the same page: it is read and encoded for all of them at once. */
  private page(from: number, maxCount: number): Promise<Page> {
    const key = `${from} ${maxCount}`;
    const reading = this.pages.get(key) ?? this.readPage(from, maxCount).finally(() => this.pages.delete(key));
    this.pages.set(key, reading);
    return reading;
  }

  private async readPage(from: number, maxCount: number): Promise<Page> {
    const events = await this.journal.read(this.id, from, maxCount);
    return { bytes: Buffer.concat(events.map((event) => this.encode(event))), count: events.length };
  }

  private encode(event: StoredEvent): Buffer {
    const isWhole = event.type === 'agent.message' || event.type === 'agent.reasoning';
    const messageId = isWhole ? event.payload['messageId'] : null;
    if (typeof messageId === 'string') {
      this.finished.add(messageId);
      const [oldest] = this.finished;
      if (this.finished.size > finishedMessagesMax && oldest !== undefined) this.finished.delete(oldest);
    }
    return durableFrame(this.kind, event);
  }
}

function pageEventsFor({ bytes, count }: Page): number {
  const fitting = Math.floor((pageBytesAim * count) / bytes.length);
  return Math.min(pageEventsMax, Math.max(pageEventsMin, fitting));
}
