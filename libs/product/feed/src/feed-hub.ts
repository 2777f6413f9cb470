import { FrameWindow, oneBuffer, type FrameSink, type FrameSource, type PlacedFrame } from '@app/journal';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedEntry, FeedReader } from './feed-reader';

/** Maximum number of events in one page of a replay. */
const pageEvents = 200;
/** Limits of the window of the newest encoded events, for readers that are about to join. */
const windowMax = { frames: 1_000, bytes: 512 * 1024 };
/** If the store does not return an event yet that its subscription delivered, read again after this pause. */
const behindPauseMs = 50;

/** A part of the feed, encoded, that many readers can share. */
interface Stretch {
  readonly bytes: Buffer;
  readonly upTo: number;
}

/**
 * Distributes the feed to all readers of this process: encoded once, written to each socket. A reader's `next` is the
 * position after which it continues.
 *
 * A reader first gets a replay, page by page as fast as it reads, and then joins the live ones. It joins in the same
 * turn of the event loop in which its replay is complete, so it gets every event once, in order.
 */
export class FeedHub implements FrameSource {
  private readonly window: FrameWindow;
  private readonly live = new Set<FrameSink>();
  private readonly stretches = new Map<number, Promise<Stretch>>();
  private givenUp = false;

  /** @param passed `deliver` brings no events up to this position */
  constructor(
    private readonly feed: FeedReader,
    private passed: number,
  ) {
    this.window = new FrameWindow(passed, windowMax);
  }

  async serve(reader: FrameSink): Promise<void> {
    // From here on the client reconnects at the position where it began, even if nothing happens meanwhile.
    reader.write(this.placeFrame(reader.next));
    for (;;) {
      await reader.waitForDrain();
      if (this.givenUp) reader.end();
      if (reader.closed || this.catchUpFromWindow(reader)) return;
      const { bytes, upTo } = await this.stretch(reader.next);
      if (upTo === reader.next) await sleep(behindPauseMs);
      else reader.write(bytes);
      reader.next = upTo;
    }
  }

  leave(reader: FrameSink): void {
    this.live.delete(reader);
  }

  /**
   * Takes the next events, and the position up to which they are complete. Events that were delivered before are
   * skipped.
   */
  deliver(entries: readonly FeedEntry[], upTo: number): void {
    const frames = entries.filter(({ position }) => position > this.passed).map((entry) => this.frameOf(entry));
    const nowMs = performance.now();
    for (const frame of frames) this.window.push(frame, nowMs);
    const all = oneBuffer(frames);
    for (const reader of this.live) {
      // A replay may have passed some of the delivered events.
      const due = reader.next <= this.passed ? all : oneBuffer(after(frames, reader.next));
      if (due.length > 0) reader.write(due);
      reader.next = Math.max(reader.next, upTo);
    }
    this.passed = Math.max(this.passed, upTo);
  }

  /** Ends all readers after their written frames: they reconnect, and read the missed events from the store. */
  giveUp(): void {
    this.givenUp = true;
    for (const reader of this.live) reader.end();
  }

  /** Drops frames that are too old to be of use. */
  age(nowMs: number): void {
    this.window.age(nowMs);
  }

  private catchUpFromWindow(reader: FrameSink): boolean {
    if (reader.next < this.passed) {
      const rest = this.window.from(reader.next);
      if (rest === null) return false;
      if (rest.length > 0) reader.write(oneBuffer(rest));
      reader.next = this.passed;
    }
    this.live.add(reader);
    return true;
  }

  /** Readers that reconnect at the same time need the same stretch: it is read and encoded once for all of them. */
  private stretch(from: number): Promise<Stretch> {
    const reading = this.stretches.get(from) ?? this.readStretch(from).finally(() => this.stretches.delete(from));
    this.stretches.set(from, reading);
    return reading;
  }

  private async readStretch(from: number): Promise<Stretch> {
    const { entries, upTo } = await this.feed.read(from, pageEvents);
    const frames = entries.map((entry) => this.frameOf(entry).bytes);
    // The events after the last notice were read as well, so a client that reconnects need not read them again.
    return { bytes: Buffer.concat([...frames, this.placeFrame(upTo)]), upTo };
  }

  private frameOf({ type, position, text }: FeedEntry): PlacedFrame {
    const bytes = Buffer.from(`id: ${this.feed.cursorAfter(position)}\nevent: ${type}\ndata: ${text}\n\n`);
    return { position, bytes };
  }

  /** An `id` without an event: clients remember it and dispatch nothing (WHATWG HTML, "Server-sent events"). */
  private placeFrame(position: number): Buffer {
    return Buffer.from(`id: ${this.feed.cursorAfter(position)}\n\n`);
  }
}

function after(frames: readonly PlacedFrame[], position: number): PlacedFrame[] {
  return frames.filter((frame) => frame.position > position);
}
