import { Logger } from '@nestjs/common';
import type { ReadAnswer, ReceivedEvent } from '@app/event-store-wire';
import { decodeStored, isSystemEvent, type EventBatch, type StoredEvent } from '../events/codec';
import type { ReadCall, Reader } from '../calls/read-call';

/** Events that wait in the process for a slow consumer; beyond this the subscription is paused. */
const waitingEventsMax = 2_000;

const logger = new Logger('Subscriptions');

/** Events of a subscription that are not handled yet; pauses the subscription while its consumer is behind. */
export class Intake implements Reader {
  private readonly subscription: Pick<ReadCall, 'more' | 'cancel'>;
  private waiting: StoredEvent[] = [];
  private lookedUpTo = 0;
  private failure: Error | null = null;
  private hasEnded = false;
  private isPaused = false;
  private wake = (): void => undefined;

  /** @param subscribe opens the subscription that the intake then reads, and that `close` ends */
  constructor(
    subscribe: (reader: Reader) => Pick<ReadCall, 'more' | 'cancel'>,
    private readonly signal: AbortSignal,
  ) {
    this.subscription = subscribe(this);
    signal.addEventListener('abort', this.onAbort);
  }

  take(answer: ReadAnswer): boolean {
    if (answer.kind === 'event') this.receive(answer);
    // The server has found nothing of interest after the last event. While it catches up it may report 0 (EventStoreDB 23.10.6), which must
    // not move the position back.
    else if (answer.kind === 'checkpoint') this.lookedUpTo = Math.max(this.lookedUpTo, answer.position);
    this.isPaused = this.waiting.length >= waitingEventsMax;
    this.wake();
    return !this.isPaused;
  }

  end(error: Error | null): void {
    this.failure = error;
    this.hasEnded = true;
    this.wake();
  }

  /** Waits for events and returns all that arrived since the last call; null at the end. Throws when the subscription broke. */
  async next(): Promise<EventBatch | null> {
    for (;;) {
      if (this.signal.aborted) return null;
      const batch = this.batch();
      if (batch !== null) return batch;
      if (this.failure !== null) throw this.failure;
      if (this.hasEnded) return null;
      const news = new Promise<void>((resolve) => (this.wake = resolve));
      if (this.isPaused) {
        this.isPaused = false;
        this.subscription.more();
      }
      await news;
    }
  }

  /** Ends the subscription. */
  close(): void {
    this.signal.removeEventListener('abort', this.onAbort);
    this.subscription.cancel();
  }

  private readonly onAbort = (): void => this.wake();

  private receive(received: ReceivedEvent): void {
    if (isSystemEvent(received)) {
      this.lookedUpTo = Math.max(this.lookedUpTo, received.position);
      return;
    }
    try {
      this.waiting.push(decodeStored(received));
    } catch (error) {
      // A foreign event in one of our categories must not block the events after it, or callers that wait for its position.
      this.lookedUpTo = Math.max(this.lookedUpTo, received.position);
      logger.error(`event ${received.id} of ${received.stream} is passed over`, error);
    }
  }

  private batch(): EventBatch | null {
    const [events, looked] = [this.waiting, this.lookedUpTo];
    if (events.length === 0 && looked === 0) return null;
    [this.waiting, this.lookedUpTo] = [[], 0];
    return { events, upTo: Math.max(looked, events.at(-1)?.position ?? 0) };
  }
}
