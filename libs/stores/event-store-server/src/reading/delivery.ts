import type { FramedEvent } from '../event';
import { STALLED_READER_MS } from '../limits';
import { encodeResolved, type UuidForm } from '@app/event-store-wire';
import type { EventLog } from './event-log';
import type { Outlet } from './outlet';

/** The form in which a client wants its events. */
export interface DeliveryForm {
  readonly resolveLinks: boolean;
  readonly uuids: UuidForm;
}

/** Turns events into frames and sends them as fast as the client takes them. */
export class Delivery {
  constructor(
    private readonly log: EventLog,
    private readonly outlet: Outlet,
    private readonly form: DeliveryForm,
  ) {}

  /** Whether events are sent as they were encoded once, so that a live one can be sent without waiting for anything. */
  get isPlain(): boolean {
    return !this.form.resolveLinks && this.form.uuids === 'string';
  }

  /**
   * Sends events in order and reports each with `onSent`; `beforeSent` may send something before it. Stops early, with false, when the
   * client is gone or takes nothing for a while: the caller then drops its page, so that stalled readers hold no memory.
   */
  async send(
    events: readonly FramedEvent[],
    onSent: (event: FramedEvent) => void,
    beforeSent?: (event: FramedEvent) => void,
  ): Promise<boolean> {
    for (const event of events) {
      if (!this.outlet.hasRoom) {
        if ((await this.outlet.room(STALLED_READER_MS)) !== 'room') return false;
        await this.log.lane.turn();
      }
      beforeSent?.(event);
      this.outlet.send(this.isPlain ? event.frame : await this.encode(event));
      onSent(event);
    }
    return true;
  }

  private async encode(event: FramedEvent): Promise<Buffer> {
    if (!this.form.resolveLinks) return encodeResolved(event, undefined, this.form.uuids);
    const resolved = await this.log.resolve(event);
    return encodeResolved(resolved.event, resolved.link, this.form.uuids);
  }
}
