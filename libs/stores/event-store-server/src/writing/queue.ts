import { GROUP_BYTES_MAX, GROUP_EVENTS_MAX, QUEUED_APPENDS_MAX, QUEUED_BYTES_MAX } from '../limits';
import type { Failure } from '../failure';
import type { WriteRequest, WriteResult } from './request';

/** A request that waits for its answer. It is answered exactly once, by a result or at its deadline. */
export class PendingWrite {
  private answered = false;

  constructor(
    readonly request: WriteRequest,
    private readonly onDone: (result: WriteResult) => void,
  ) {}

  get isAnswered(): boolean {
    return this.answered;
  }

  answer(result: WriteResult): void {
    if (this.answered) return;
    this.answered = true;
    this.onDone(result);
  }

  answerIfLate(nowMs: number): void {
    if (this.request.deadlineMs <= nowMs) this.answer({ kind: 'timeout' });
  }
}

/** Requests in order of arrival, limited in count and bytes; a caller that fills it waits for room or is refused. */
export class WriteQueue {
  private entries: PendingWrite[] = [];
  private bytes = 0;
  private waiting: (() => void)[] = [];

  get length(): number {
    return this.entries.length;
  }

  get isFull(): boolean {
    return this.entries.length >= QUEUED_APPENDS_MAX || this.bytes >= QUEUED_BYTES_MAX;
  }

  /** More than callers that wait for room can cause; beyond this, single appends, which do not wait, are refused. */
  get isOverfull(): boolean {
    return this.entries.length >= 2 * QUEUED_APPENDS_MAX || this.bytes >= 2 * QUEUED_BYTES_MAX;
  }

  /** Calls back once when there is room again. Callers stop sending until then, so there are at most as many as open calls. */
  onRoom(callback: () => void): void {
    this.waiting.push(callback);
  }

  add(entry: PendingWrite): void {
    this.entries.push(entry);
    this.bytes += bytesOf(entry.request);
  }

  /** The next group: at least one request, then as many as the limits of a group allow. Late ones are left out. */
  nextGroup(nowMs: number): PendingWrite[] {
    const group: PendingWrite[] = [];
    let events = 0;
    let bytes = 0;
    let taken = 0;
    for (const entry of this.entries) {
      const size = entry.request.kind === 'append' ? entry.request.events.length : 1;
      const weight = bytesOf(entry.request);
      if (group.length > 0 && (events + size > GROUP_EVENTS_MAX || bytes + weight > GROUP_BYTES_MAX)) break;
      taken++;
      this.bytes -= weight;
      entry.answerIfLate(nowMs);
      if (entry.isAnswered) continue;
      group.push(entry);
      events += size;
      bytes += weight;
    }
    this.entries = taken === this.entries.length ? [] : this.entries.slice(taken);
    this.giveRoom();
    return group;
  }

  answerLate(nowMs: number): void {
    for (const entry of this.entries) entry.answerIfLate(nowMs);
  }

  failAll(failure: Failure): void {
    const entries = this.entries;
    this.entries = [];
    this.bytes = 0;
    for (const entry of entries) entry.answer(failure);
    this.giveRoom();
  }

  private giveRoom(): void {
    if (this.isFull || this.waiting.length === 0) return;
    const waiting = this.waiting;
    this.waiting = [];
    for (const callback of waiting) callback();
  }
}

function bytesOf(request: WriteRequest): number {
  return request.kind === 'append' ? request.bytes : 0;
}
