import { Logger } from '@nestjs/common';
import type { AllStreamResolvedEvent, AllStreamSubscription } from '@eventstore/db-client';
import { decodeStored, type StoredEvent } from './codec';

/** Events that wait in the process for a slow consumer; beyond it the subscription is paused. */
const waitingEventsMax = 2_000;

const logger = new Logger('Subscriptions');

/** A run of events in the order of the store. `upTo` is the position that is known to be passed with it. */
export interface EventBatch {
  readonly events: readonly StoredEvent[];
  readonly upTo: number;
}

/** Events of a subscription that are not handled yet; it pauses the subscription while its consumer is behind. */
export class Intake {
  private waiting: StoredEvent[] = [];
  private lookedUpTo = 0;
  private failure: Error | null = null;
  private ended = false;
  private wake = (): void => undefined;

  constructor(
    private readonly subscription: AllStreamSubscription,
    private readonly signal: AbortSignal,
  ) {
    // A subscription without an `error` listener crashes the process.
    subscription.on('error', (error: Error) => this.change(() => (this.failure = error)));
    subscription.on('end', () => this.change(() => (this.ended = true)));
    subscription.on('data', (resolved: AllStreamResolvedEvent) => this.change(() => this.receive(resolved)));
    signal.addEventListener('abort', this.onAbort);
  }

  /**
   * The server has looked through the store up to this position, and found nothing of interest after the last event. While it catches
   * up it may say 0 (EventStoreDB 23.10.6), which takes nothing back.
   */
  noteProgress(position: number): void {
    this.change(() => (this.lookedUpTo = Math.max(this.lookedUpTo, position)));
  }

  /** What has come since the last call, as soon as there is something; null at the end. Throws when the subscription broke. */
  async next(): Promise<EventBatch | null> {
    for (;;) {
      if (this.signal.aborted) return null;
      const batch = this.batch();
      if (batch !== null) return batch;
      if (this.failure !== null) throw this.failure;
      if (this.ended) return null;
      if (this.subscription.isPaused()) this.subscription.resume();
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }

  /** Ends the subscription. */
  async close(): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    await this.subscription.unsubscribe().catch(() => undefined); // it is broken or being left; there is nothing to undo
    this.subscription.destroy();
  }

  private readonly onAbort = (): void => this.wake();

  private change(apply: () => unknown): void {
    apply();
    this.wake();
  }

  private receive({ event }: AllStreamResolvedEvent): void {
    if (event === undefined) return;
    try {
      this.waiting.push(decodeStored(event));
    } catch (error) {
      // A foreign event in one of our categories must not stop the events after it, or those who wait for its position.
      this.lookedUpTo = Math.max(this.lookedUpTo, Number(event.position?.commit ?? 0));
      logger.error(`event ${event.id} of ${event.streamId} is passed over`, error);
    }
    if (this.waiting.length >= waitingEventsMax) this.subscription.pause();
  }

  private batch(): EventBatch | null {
    const events = this.waiting;
    const lastPosition = events.at(-1)?.position ?? 0;
    // What was looked through counts only when no event before it is still on its way to us.
    const looked = this.subscription.readableLength === 0 ? this.lookedUpTo : 0;
    if (events.length === 0 && looked === 0) return null;
    this.waiting = [];
    if (looked > 0) this.lookedUpTo = 0;
    return { events, upTo: Math.max(looked, lastPosition) };
  }
}
