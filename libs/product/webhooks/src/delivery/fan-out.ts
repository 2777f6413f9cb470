import { Injectable } from '@nestjs/common';
import { EventStore, idInStream, type EventBatch, type StoredEvent } from '@app/event-store';
import { Clock } from '@app/kernel';
import { Notices, toldCategories, type Notice } from '@app/notices';
import { Reactors } from '@app/read-store';
import { Probe } from '@app/runtime';
import { endpointKind } from '../endpoint/endpoint.stream';
import { ownTypes } from './delivery';
import { FanOutTables, fanOutName, type NewDelivery } from './fan-out-tables';
import { NoticeCache } from './notice-cache';
import { changeOf, wants, type Target, type TargetChange } from './fan-out-endpoints';

export const fannedOutCategories = [...toldCategories, endpointKind.category];
/** Maximum number of events recorded in one transaction; a larger batch is split into several ranges. */
const stretchEvents = 200;
/** How often a range without deliveries or changes is written. Real time. */
const idleWriteMs = 1_000;
const markEveryMs = 60_000;

/**
 * Decides which endpoint gets which event, by the order of the store alone: one process of the deployment follows the
 * events published to partners and the endpoints themselves, and records both together with its position.
 */
@Injectable()
export class FanOut {
  private readonly targets = new Map<string, Target>();
  /** False if the outcome of a write is unknown; then the position is read from the tables. */
  private isCertain = false;
  private recorded = 0;
  private writtenAtMs = -Infinity;
  private markedAtMs = -Infinity;

  constructor(
    private readonly reactors: Reactors,
    private readonly store: EventStore,
    private readonly notices: Notices,
    private readonly tables: FanOutTables,
    private readonly cache: NoticeCache,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  /** The position up to which events are recorded. */
  get position(): number {
    return this.recorded;
  }

  get known(): readonly Target[] {
    return [...this.targets.values()];
  }

  /** Starts at the position in the tables and continues until the signal aborts. Throws Unavailable. */
  async lead(signal: AbortSignal): Promise<void> {
    const { lags } = this.reactors;
    await this.look();
    lags.begin(fanOutName, this.recorded);
    const { stuck } = this.store;
    await this.store.shared
      .follow({
        name: fanOutName,
        categories: fannedOutCategories,
        after: this.recorded,
        signal,
        onStuck: (isStuck) => (isStuck ? stuck.add(fanOutName) : stuck.delete(fanOutName)),
        onBatch: (batch) => this.take(batch),
      })
      .finally(() => lags.end(fanOutName));
  }

  private async look(): Promise<void> {
    this.recorded = await this.reactors.checkpoints.read(fanOutName);
    const targets = await this.tables.targets();
    this.targets.clear();
    for (const target of targets) this.targets.set(target.endpointId, target);
    this.isCertain = true;
  }

  private async take({ events, upTo }: EventBatch): Promise<void> {
    this.reactors.lags.handles(fanOutName, events);
    if (!this.isCertain) await this.look();
    const news = events.filter(({ position }) => position > this.recorded);
    for (let from = 0; from < news.length; from += stretchEvents)
      await this.takeStretch(news.slice(from, from + stretchEvents));
    if (upTo > this.recorded) await this.write({ changes: [], owed: [] }, upTo);
    this.reactors.lags.pass(fanOutName, upTo);
  }

  private async takeStretch(events: readonly StoredEvent[]): Promise<void> {
    const noticed = await this.noticed(events);
    const [changes, owed]: [TargetChange[], NewDelivery[]] = [[], []];
    const targets = new Map(this.targets);
    for (const stored of events) {
      const change = changeOf(targets.get(endpointIn(stored) ?? ''), stored);
      if (change !== null) {
        targets.set(change.target.endpointId, change.target);
        changes.push(change);
        if (change.disabled === 'failing') owed.push(lastMessage(change.target, stored));
      }
      const notice = noticed.get(stored.id);
      if (notice === undefined) continue;
      const wanting = [...targets.values()].filter((target) => wants(target, notice));
      if (wanting.length > 0) this.cache.keep(notice);
      owed.push(...wanting.map((target) => owedTo(target, notice)));
    }
    await this.write({ changes, owed }, events.at(-1)?.position ?? this.recorded);
    for (const { target } of changes) this.targets.set(target.endpointId, target);
    if (owed.length > 0) this.probe.reached('webhooks:after-fan-out');
  }

  /** Reads no notices if no endpoint can get them. */
  private async noticed(events: readonly StoredEvent[]): Promise<ReadonlyMap<string, Notice>> {
    const isAnyone =
      this.known.some(({ isEnabled }) => isEnabled) || events.some((event) => endpointIn(event) !== null);
    const notices = isAnyone ? await this.notices.of(events) : [];
    return new Map(notices.map((notice) => [notice.id, notice]));
  }

  private async write(
    { changes, owed }: { changes: readonly TargetChange[]; owed: readonly NewDelivery[] },
    to: number,
  ) {
    const atMs = performance.now();
    if (changes.length === 0 && owed.length === 0 && atMs - this.writtenAtMs < idleWriteMs) return;
    const isMarked = atMs - this.markedAtMs >= markEveryMs;
    this.isCertain = false;
    await this.tables.record({ from: this.recorded, to, changes, owed, nowMs: this.clock.epochMs(), isMarked });
    this.isCertain = true;
    this.recorded = to;
    this.writtenAtMs = atMs;
    if (isMarked) this.markedAtMs = atMs;
  }
}

function endpointIn({ stream }: StoredEvent): string | null {
  return idInStream(endpointKind, stream);
}

/** The delivery of a notice to an endpoint. */
export function owedTo({ endpointId, epoch }: Target, { id, type, stream, revision }: Notice): NewDelivery {
  return { endpointId, noticeId: id, type, stream, revision, isOwn: false, epoch };
}

function lastMessage({ endpointId, epoch }: Target, { id, stream, revision }: StoredEvent): NewDelivery {
  return { endpointId, noticeId: id, type: ownTypes.disabled, stream, revision, isOwn: true, epoch };
}
