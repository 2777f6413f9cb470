import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameSink } from './event-socket';
import type { FrameSource } from './event-streams';
import { FrameWindow, oneBuffer, type PlacedFrame } from './frame-window';

/** How long to wait for a store that does not show an event yet which its subscription has delivered. */
const behindPauseMs = 50;

/** A part of a stream, encoded, that many readers can share. */
export interface FramePage {
  readonly bytes: Buffer;
  /** Its frames are complete up to this position. */
  readonly upTo: number;
}

interface FrameHubOptions {
  /** Later frames arrive through `send`; earlier ones are read. */
  readonly passed: number;
  /** Bounds of the newest frames that are kept for readers that are about to join. */
  readonly windowMax: { readonly frames: number; readonly bytes: number };
  /** Number of events in the first page of a replay. */
  readonly pageEvents: number;
}

/**
 * Delivers a stream to all its readers in this process: encoded once, written to each socket.
 *
 * A reader first gets a replay, page by page as fast as it reads, and then joins the live ones. It joins in the same turn of the event loop
 * in which its replay is complete, so it gets every frame once, in order.
 */
export abstract class FrameHub implements FrameSource {
  /** Position up to which everything was sent to the live readers. */
  protected passed: number;
  private readonly window: FrameWindow;
  private readonly firstPageEvents: number;
  private readonly live = new Set<FrameSink>();
  private readonly pages = new Map<string, Promise<FramePage>>();
  private givenUp = false;

  constructor({ passed, windowMax, pageEvents }: FrameHubOptions) {
    this.passed = passed;
    this.firstPageEvents = pageEvents;
    this.window = new FrameWindow(passed, windowMax);
  }

  /** Reads and encodes the events after a position. Throws Unavailable. */
  protected abstract readPage(after: number, maxCount: number): Promise<FramePage>;

  /** Returns the number of events to read after a page of a replay. @param after where that page began */
  protected abstract nextPageEvents(page: FramePage, after: number): number;

  async serve(reader: FrameSink): Promise<void> {
    for (let pageEvents = this.firstPageEvents; ;) {
      await reader.waitForDrain();
      if (this.givenUp) reader.end();
      if (reader.closed || this.catchUpFromWindow(reader)) return;
      const page = await this.page(reader.after, pageEvents);
      if (page.upTo === reader.after) {
        await sleep(behindPauseMs);
        continue;
      }
      reader.write(page.bytes);
      pageEvents = this.nextPageEvents(page, reader.after);
      reader.after = page.upTo;
    }
  }

  leave(reader: FrameSink): void {
    this.live.delete(reader);
  }

  /** Ends all readers after the frames that were written: they reconnect, and read what they miss from the store. */
  giveUp(): void {
    this.givenUp = true;
    for (const reader of this.live) reader.end();
  }

  /** Drops frames that are too old to be of use. */
  age(nowMs: number): void {
    this.window.age(nowMs);
  }

  /** Sends the frames after those that were sent. @param upTo position up to which they are complete */
  protected send(frames: readonly PlacedFrame[], upTo: number): void {
    const nowMs = performance.now();
    for (const frame of frames) this.window.push(frame, nowMs);
    const all = oneBuffer(frames);
    for (const reader of this.live) {
      // A replay may have passed some of these frames, and a reader's cursor may be past all of them.
      const due = reader.after <= this.passed ? all : oneBuffer(framesAfter(frames, reader.after));
      if (due.length > 0) reader.write(due);
      reader.after = Math.max(reader.after, upTo);
    }
    this.passed = Math.max(this.passed, upTo);
  }

  /** Writes a frame without a position to every live reader. */
  protected sendUnplaced(frame: Buffer): void {
    for (const reader of this.live) reader.write(frame);
  }

  private catchUpFromWindow(reader: FrameSink): boolean {
    if (reader.after < this.passed) {
      const rest = this.window.from(reader.after);
      if (rest === null) return false;
      if (rest.length > 0) reader.write(oneBuffer(rest));
      reader.after = this.passed;
    }
    this.live.add(reader);
    return true;
  }

  /** Readers that reconnect at the same time request the same page: it is read and encoded once for all of them. */
  private page(after: number, maxCount: number): Promise<FramePage> {
    const key = `${after} ${maxCount}`;
    const reading = this.pages.get(key) ?? this.readPage(after, maxCount).finally(() => this.pages.delete(key));
    this.pages.set(key, reading);
    return reading;
  }
}

function framesAfter(frames: readonly PlacedFrame[], position: number): PlacedFrame[] {
  return frames.filter((frame) => frame.position > position);
}
