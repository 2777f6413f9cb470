import type { StoredEvent } from '@app/event-store';
import type { ConversationId } from '@app/kernel';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { FrameSink } from './event-socket';
import type { FrameSource } from './event-streams';
import type { JournalKind } from './fin-event';
import { durableFrame } from './fin-event';
import { FrameWindow, oneBuffer, type PlacedFrame } from './frame-window';
import type { Journal } from './journal';

/** A write to each reader has about this size at most, so that sockets get a turn before the next one. */
const burstBytesMax = 64 * 1024;
/** The target size of a page of a replay, and the bounds of its number of events. */
const pageBytesAim = 128 * 1024;
const pageEventsMin = 8;
const pageEventsMax = 500;
const pageEventsFirst = 128;
/** How long to wait for a store that does not show an event yet which its subscription has delivered. */
const behindPauseMs = 50;
/** Bounds of the newest events that are kept, encoded, for readers that are about to join. */
const windowMax = { frames: 256, bytes: 128 * 1024 };
/** Most finished messages that are remembered, to drop their late deltas. */
const finishedMessagesMax = 64;

/** A sequence of encoded events that many readers can share. */
interface Page {
  readonly bytes: Buffer;
  readonly count: number;
}

/**
 * Delivers one conversation's events to all readers of this process: encoded once, written to each socket.
 *
 * A reader first gets a replay, page by page as fast as it reads, and then joins the live ones. It joins in the same turn in which its
 * replay is complete, so it gets every event once, in order.
 */
export class ConversationHub implements FrameSource {
  private readonly window: FrameWindow;
  private readonly live = new Set<FrameSink>();
  private readonly pages = new Map<string, Promise<Page>>();
  private readonly finished = new Set<string>();
  /** Encoded events in flight to the live readers. */
  private burst: PlacedFrame[] = [];
  private burstBytes = 0;
  private sending: Promise<void> | null = null;
  private givenUp = false;

  /**
   * @param delivered the newest revision at the start: later events arrive through `deliver`
   */
  constructor(
    private readonly id: ConversationId,
    private readonly journal: Journal,
    private readonly kind: JournalKind,
    private delivered: number,
  ) {
    this.window = new FrameWindow(delivered, windowMax);
  }

  /**
   * Serves one reader from its `next` revision on; resolves when it is live or gone. The caller must then call `leave`. Throws Unavailable
   * when the store cannot be read.
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

  /** Removes a reader. */
  leave(reader: FrameSink): void {
    this.live.delete(reader);
  }

  /**
   * Takes the event that follows the delivered ones; all events of one turn of the event loop reach each live reader in one write. Resolves
   * early, unless more is waiting than fits one write. Skips an event that was seen before. Throws when one is missing before it: this hub
   * is then unusable.
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

  /** Ends all readers after the frames that were written: they reconnect, and read what they miss from the store. */
  giveUp(): void {
    this.givenUp = true;
    for (const reader of this.live) reader.end();
  }

  /** Writes a live frame of a message to every live reader, unless the whole message was already delivered. */
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
      // A reader whose cursor is past the head waits until the journal has reached it.
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

  /** Readers that reconnect at the same time request the same page: it is read and encoded once for all of them. */
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
