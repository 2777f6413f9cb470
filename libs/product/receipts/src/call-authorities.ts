import { Injectable } from '@nestjs/common';
import type { SelectedApproval } from '@app/approvals';
import { automationKind } from '@app/automations';
import { EventStore, streamName, type ReceivedEvent } from '@app/event-store';
import { Database } from '@app/read-store';
import { jsonIn } from './receipt-bytes';

/** Few events lie between the use of a contract and the approval of the call that it is for; after a crash, those of some minutes. */
const usePageEvents = 100;
const useSearchEventsMax = 2_000;

/** Finds what covered a call: the contract's own approval, and the use of it, in the stream of the call's automation. */
@Injectable()
export class CallAuthorities {
  constructor(
    private readonly store: EventStore,
    private readonly database: Database,
  ) {}

  /**
   * Returns the contract's opening and decision and the use, oldest first; empty if they are not found.
   * @param openedPosition of the call's approval: the use was recorded before it. Throws Unavailable
   */
  async of({ id, automationId }: SelectedApproval, openedPosition: number): Promise<ReceivedEvent[]> {
    if (automationId === null) return [];
    const stream = streamName(automationKind, automationId);
    const use = await this.useFor(id, stream, await this.lastBefore(openedPosition, stream));
    if (use === null) return [];
    const approved = await this.approvedBefore(use);
    const decided = await Promise.all(approved.map((revision) => this.store.readStreamRaw(stream, revision, 1)));
    return approved.length === 0 ? [] : [...decided.flat(), use];
  }

  /** Returns the last revision before a position, or -1: a binary search, since positions grow along a stream. */
  private async lastBefore(position: number, stream: string): Promise<number> {
    let [before, after] = [-1, (await this.store.lastRevision(stream)) + 1];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      const [event] = await this.store.readStreamRaw(stream, middle, 1);
      if (event !== undefined && event.position < position) before = middle;
      else after = middle;
    }
    return before;
  }

  private async useFor(approvalId: string, stream: string, last: number): Promise<ReceivedEvent | null> {
    const least = Math.max(0, last - useSearchEventsMax);
    for (let end = last + 1; end > least; end -= usePageEvents) {
      const from = Math.max(least, end - usePageEvents);
      const page = await this.store.readStreamRaw(stream, from, end - from);
      const use = page.find(
        ({ type, data }) => type === 'contract.used' && jsonIn(data)?.['approvalId'] === approvalId,
      );
      if (use !== undefined) return use;
    }
    return null;
  }

  /** Returns the revisions of the opening and the decision of the last contract approved before the use. */
  private async approvedBefore({ stream, revision }: ReceivedEvent): Promise<readonly number[]> {
    const [approved] = await this.database.query<{ opened: number; closed: number }>(
      `SELECT opened_revision AS opened, closed_revision AS closed FROM {approvals}
       WHERE stream = $1 AND status = 'approved' AND closed_revision < $2 ORDER BY closed_revision DESC LIMIT 1`,
      [stream, revision],
    );
    return approved === undefined ? [] : [approved.opened, approved.closed];
  }
}
