import { FrameHub, type FramePage, type FrameSink, type PlacedFrame } from '@app/journal';
import type { FeedEntry, FeedReader } from './feed-reader';

/** Maximum number of events in one page of a replay. */
const pageEvents = 200;
/** Limits of the window of the newest encoded events, for readers that are about to join. */
const windowMax = { frames: 1_000, bytes: 512 * 1024 };

/** Distributes the feed to all readers of this process. */
export class FeedHub extends FrameHub {
  /** @param passed `deliver` brings no events up to this position */
  constructor(
    private readonly feed: FeedReader,
    passed: number,
  ) {
    super({ passed, windowMax, pageEvents });
  }

  override async serve(reader: FrameSink): Promise<void> {
    // From here on the client reconnects at the position where it began, even if nothing happens meanwhile.
    reader.write(this.placeFrame(reader.after));
    await super.serve(reader);
  }

  /** Takes the next events, and the position up to which they are complete. Events that were delivered before are skipped. */
  deliver(entries: readonly FeedEntry[], upTo: number): void {
    const news = entries.filter(({ position }) => position > this.passed);
    this.send(
      news.map((entry) => this.frameOf(entry)),
      upTo,
    );
  }

  protected async readPage(after: number, maxCount: number): Promise<FramePage> {
    const { entries, upTo } = await this.feed.read(after, maxCount);
    const frames = entries.map((entry) => this.frameOf(entry).bytes);
    // The events after the last notice were read as well, so a client that reconnects need not read them again.
    return { bytes: Buffer.concat([...frames, this.placeFrame(upTo)]), upTo };
  }

  protected nextPageEvents(): number {
    return pageEvents;
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
