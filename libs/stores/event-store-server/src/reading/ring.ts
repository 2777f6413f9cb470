import type { FramedEvent } from '../event';
import { RING_BYTES_MAX, RING_EVENTS_MAX } from '../limits';

/** Events of one stream in the ring: consecutive revisions, the oldest at `start`. */
interface StreamTail {
  events: FramedEvent[];
  start: number;
}

const COMPACT_AFTER = 64;

/** The newest events without a gap, limited in count and bytes; live readers are served from here. */
export class Ring {
  private readonly slots: (FramedEvent | undefined)[];
  private readonly tails = new Map<string, StreamTail>();
  private first = 1;
  private bytes = 0;
  private head = 0;

  constructor(
    private readonly eventsMax = RING_EVENTS_MAX,
    private readonly bytesMax = RING_BYTES_MAX,
  ) {
    this.slots = new Array<FramedEvent | undefined>(eventsMax);
  }

  /** The last committed position. */
  get lastPosition(): number {
    return this.head;
  }

  /** Forgets everything, after the store's end was read again. */
  reset(lastPosition: number): void {
    this.slots.fill(undefined);
    this.tails.clear();
    this.first = lastPosition + 1;
    this.head = lastPosition;
    this.bytes = 0;
  }

  append(events: readonly FramedEvent[]): void {
    for (const event of events) {
      if (this.head - this.first + 1 >= this.eventsMax) this.dropFirst();
      this.slots[event.position % this.eventsMax] = event;
      this.head = event.position;
      this.bytes += event.frame.length;
      const tail = this.tails.get(event.stream);
      if (tail) tail.events.push(event);
      else this.tails.set(event.stream, { events: [event], start: 0 });
      while (this.bytes > this.bytesMax) this.dropFirst();
    }
  }

  /** Whether every event after this position is here. */
  covers(position: number): boolean {
    return position + 1 >= this.first;
  }

  /** The event at a position between the first one held and the last one. */
  at(position: number): FramedEvent | undefined {
    return position >= this.first && position <= this.head ? this.slots[position % this.eventsMax] : undefined;
  }

  /** Events of the stream from this revision on, at most so many; undefined when the ring does not have them all. */
  streamFrom(stream: string, revision: number, countMax: number): FramedEvent[] | undefined {
    const tail = this.tails.get(stream);
    const oldest = tail?.events[tail.start];
    if (!tail || !oldest || oldest.revision > revision) return undefined;
    const from = tail.start + revision - oldest.revision;
    return tail.events.slice(from, from + countMax);
  }

  private dropFirst(): void {
    const event = this.at(this.first);
    if (!event) return;
    this.slots[this.first % this.eventsMax] = undefined;
    this.first++;
    this.bytes -= event.frame.length;
    const tail = this.tails.get(event.stream);
    if (!tail) return;
    tail.start++;
    if (tail.start === tail.events.length) {
      this.tails.delete(event.stream);
    } else if (tail.start >= COMPACT_AFTER && tail.start * 2 >= tail.events.length) {
      tail.events = tail.events.slice(tail.start);
      tail.start = 0;
    }
  }
}
