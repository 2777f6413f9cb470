import type { StoredEvent } from '@app/event-store';
import type { ConversationId } from '@app/kernel';
import { setImmediate as turn } from 'node:timers/promises';
import type { JournalKind } from './fin-event';
import { durableFrame } from './fin-event';
import { FrameHub, type FramePage } from './frame-hub';
import type { PlacedFrame } from './frame-window';
import type { Journal } from './journal';

/** A write to each reader has about this size at most, so that sockets get a turn before the next one. */
const burstBytesMax = 64 * 1024;
/** The target size of a page of a replay, and the bounds of its number of events. */
const pageBytesAim = 128 * 1024;
const pageEventsMin = 8;
const pageEventsMax = 500;
const pageEventsFirst = 128;
/** Bounds of the newest events that are kept, encoded, for readers that are about to join. */
const windowMax = { frames: 256, bytes: 128 * 1024 };
/** Most finished messages and calls that are remembered, to drop their late live frames. */
const finishedMax = 128;

/** Delivers one conversation's events to all readers of this process. The position of an event is its `seq`, its revision + 1. */
export class ConversationHub extends FrameHub {
  private readonly finished = new Set<string>();
  /** Encoded events in flight to the live readers. */
  private burst: PlacedFrame[] = [];
  private burstBytes = 0;
  private sending: Promise<void> | null = null;

  /** @param newest the newest revision at the start: later events arrive through `deliver` */
  constructor(
    private readonly id: ConversationId,
    private readonly journal: Journal,
    private readonly kind: JournalKind,
    newest: number,
  ) {
    super({ passed: newest + 1, windowMax, pageEvents: pageEventsFirst });
  }

  /**
   * Takes the event that follows the delivered ones; all events of one turn of the event loop reach each live reader in one write. Resolves
   * early, unless more is waiting than fits one write. Skips an event that was seen before. Throws when one is missing before it: this hub
   * is then unusable.
   */
  async deliver(event: StoredEvent): Promise<void> {
    const wanted = this.passed + this.burst.length;
    if (event.revision < wanted) return;
    if (event.revision > wanted) throw new Error(`${event.stream} misses revision ${wanted}`);
    const frame = this.encode(event);
    this.burst.push({ position: event.revision + 1, bytes: frame });
    this.burstBytes += frame.length;
    this.sending ??= turn().then(() => this.sendBurst());
    if (this.burstBytes >= burstBytesMax) await this.sending;
  }

  /**
   * Writes a live frame to every live reader, unless the whole message, or the return of the call, was already delivered.
   * @param subject the message or call of the frame
   */
  deliverLive(subject: string, frame: Buffer): void {
    if (!this.finished.has(subject)) this.sendUnplaced(frame);
  }

  protected async readPage(after: number, maxCount: number): Promise<FramePage> {
    const events = await this.journal.read(this.id, after, maxCount);
    return { bytes: Buffer.concat(events.map((event) => this.encode(event))), upTo: after + events.length };
  }

  protected nextPageEvents({ bytes, upTo }: FramePage, after: number): number {
    const fitting = Math.floor((pageBytesAim * (upTo - after)) / bytes.length);
    return Math.min(pageEventsMax, Math.max(pageEventsMin, fitting));
  }

  private sendBurst(): void {
    const frames = this.burst;
    this.burst = [];
    this.burstBytes = 0;
    this.sending = null;
    this.send(frames, this.passed + frames.length);
  }

  private encode(event: StoredEvent): Buffer {
    const subject = finishedBy(event);
    if (subject !== null) {
      this.finished.add(subject);
      const [oldest] = this.finished;
      if (this.finished.size > finishedMax && oldest !== undefined) this.finished.delete(oldest);
    }
    return durableFrame(this.kind, event);
  }
}

/** Returns the message or call that an event completes; null if it completes none. */
function finishedBy({ type, payload }: StoredEvent): string | null {
  const isMessage = type === 'agent.message' || type === 'agent.reasoning';
  const subject = isMessage ? payload['messageId'] : type === 'tool.returned' ? payload['toolCallId'] : null;
  return typeof subject === 'string' ? subject : null;
}
