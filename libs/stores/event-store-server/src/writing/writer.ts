import { baseStreamOf, metastreamOf, type FramedEvent } from '../event';
import { asFailure, describeFailure, type Failure } from '../failure';
import { DEADLINE_SWEEP_MS, GROUP_TIMEOUT_MS, KNOWN_HEADS_BYTES_MAX, KNOWN_IDS_MAX } from '../limits';
import type { Log } from '../log';
import { insertEvents, readLastPosition } from '../storage/events-table';
import { loadHeads, loadIdsAt, loadNewestIds } from '../storage/heads-table';
import type { WriterSession } from '../storage/session';
import { Group, spansToReadBack, streamsBegunBy, type GroupPast } from './group';
import { NO_HEAD, type Head } from '../streams/head';
import { KnownHeads } from './known-heads';
import { KnownIds } from './known-ids';
import { PendingWrite, WriteQueue } from './queue';
import type { WriteRequest, WriteResult, Writes } from './request';

const TOO_BUSY: Failure = { kind: 'unavailable', message: 'too many appends are waiting' };

export interface WriterEvents {
  /** Called when events are durable, before any request is answered, in order of position. */
  committed(events: readonly FramedEvent[]): void;
  /** Called after the answers of the group. */
  fanOut(events: readonly FramedEvent[]): void;
  /** The store was read again up to this position: it may hold events that were not announced. */
  reloaded(lastPosition: number): void;
}

/**
 * The single writer. It takes the queued requests, decides in memory, stores the group by one statement, answers, and only then fans out.
 * Without a session (PostgreSQL unavailable, lock lost) it answers everything as unavailable.
 */
export class Writer implements Writes {
  private readonly queue = new WriteQueue();
  private readonly heads = new KnownHeads(KNOWN_HEADS_BYTES_MAX);
  private readonly knownIds = new KnownIds(KNOWN_IDS_MAX);
  private inFlight: PendingWrite[] = [];
  private session: WriterSession | undefined;
  private unavailable: Failure = { kind: 'unavailable', message: 'the event store has not started' };
  private lastPosition = 0;
  private running = false;
  private closed = false;
  private onIdle: (() => void) | undefined;
  private sweep: NodeJS.Timeout | undefined;

  constructor(
    private readonly listener: WriterEvents,
    private readonly log: Log,
  ) {}

  get isFull(): boolean {
    return this.queue.isFull;
  }

  onRoom(callback: () => void): void {
    this.queue.onRoom(callback);
  }

  /** The committed head, when it is in memory. */
  knownHead(baseStream: string): Readonly<Head> | undefined {
    return this.session && this.heads.get(baseStream);
  }

  submit(request: WriteRequest, onDone: (result: WriteResult) => void): void {
    const entry = new PendingWrite(request, onDone);
    if (!this.session || this.closed) return entry.answer(this.unavailable);
    if (this.queue.isOverfull) return entry.answer(TOO_BUSY);
    this.queue.add(entry);
    this.sweep ??= setInterval(() => this.answerLate(), DEADLINE_SWEEP_MS);
    if (this.running) return;
    this.running = true;
    // Requests that arrive in the same turn of the event loop go into the same group.
    setImmediate(() => void this.run());
  }

  /** Reads the end of the store and accepts writes from now on. */
  async attach(session: WriterSession): Promise<void> {
    await this.reload(session);
    this.session = session;
  }

  /** From now on everything is answered as unavailable. A commit in flight answers when it fails. */
  detach(reason: string): void {
    this.session = undefined;
    this.unavailable = { kind: 'unavailable', message: reason };
    this.queue.failAll(this.unavailable);
  }

  /** Accepts nothing more. Resolves when everything queued is answered. */
  async close(reason: Failure): Promise<void> {
    this.closed = true;
    this.unavailable = reason;
    if (this.running) await new Promise<void>((resolve) => (this.onIdle = resolve));
  }

  private async run(): Promise<void> {
    while (this.session && this.queue.length > 0) await this.commitNext(this.session);
    this.running = false;
    clearInterval(this.sweep);
    this.sweep = undefined;
    this.onIdle?.();
  }

  private async commitNext(session: WriterSession): Promise<void> {
    this.inFlight = this.queue.nextGroup(Date.now());
    if (this.inFlight.length === 0) return;
    const overdue = setTimeout(() => session.destroy(), GROUP_TIMEOUT_MS);
    try {
      await this.commit(session, this.inFlight);
    } catch (error) {
      await this.recover(session, error);
    } finally {
      clearTimeout(overdue);
      this.inFlight = [];
    }
  }

  private async commit(session: WriterSession, entries: readonly PendingWrite[]): Promise<void> {
    const requests = entries.map((entry) => entry.request);
    const begun = streamsBegunBy(requests).filter((stream) => !this.heads.has(stream));
    // A writer that expects a new stream is seldom wrong: newness is not checked before, but by the statement that stores the events.
    const { group, results } =
      (await this.store(session, requests, begun)) ?? (await this.store(session, requests, [])) ?? neverStored();
    this.remember(group);
    this.listener.committed(group.events);
    entries.forEach((entry, index) => {
      const result = results[index];
      if (result) entry.answer(result);
    });
    if (group.events.length > 0) setImmediate(() => this.listener.fanOut(group.events));
  }

  /** Decides the requests and stores their events; returns undefined, and stores nothing, if a stream that was assumed new is not. */
  private async store(
    session: WriterSession,
    requests: readonly WriteRequest[],
    takenForNew: readonly string[],
  ): Promise<{ group: Group; results: WriteResult[] } | undefined> {
    const group = new Group(await this.pastOf(session, requests, new Set(takenForNew)), Date.now());
    const results = requests.map((request) => group.decide(request));
    const { events } = group;
    // Metadata and a tombstone make a stream too.
    const names = takenForNew.flatMap((stream) => [stream, metastreamOf(stream)]);
    const isStored = events.length === 0 || (await insertEvents(session.db, events, names));
    return isStored ? { group, results } : undefined;
  }

  private async pastOf(
    session: WriterSession,
    requests: readonly WriteRequest[],
    takenForNew: ReadonlySet<string>,
  ): Promise<GroupPast> {
    const streams = new Set(requests.map((request) => baseStreamOf(request.stream)));
    const missing = [...streams].filter((stream) => !this.heads.has(stream) && !takenForNew.has(stream));
    // The group's own map, because the cache may drop a head while the group is in flight.
    const loaded = missing.length > 0 ? await loadHeads(session.db, missing) : new Map<string, Head>();
    const past = {
      lastPosition: this.lastPosition,
      head: (stream: string): Readonly<Head> =>
        takenForNew.has(stream) ? NO_HEAD : headOf(loaded.get(stream) ?? this.heads.get(stream), stream),
      knownId: (id: string) => this.knownIds.find(id),
    };
    const spans = spansToReadBack(requests, past);
    return { ...past, readBack: spans.length > 0 ? await loadIdsAt(session.db, spans) : [] };
  }

  private remember(group: Group): void {
    for (const [stream, head] of group.heads) this.heads.set(stream, head);
    for (const { id, stream, revision, position } of group.events)
      this.knownIds.add({ id, stream, revision, position });
    this.lastPosition += group.events.length;
  }

  /** The group failed, and whether it is stored is unknown: fails its requests, and reads the state back. */
  private async recover(session: WriterSession, error: unknown): Promise<void> {
    const failure = asFailure(error);
    this.log('error', 'a group commit failed', { error: describeFailure(failure), appends: this.inFlight.length });
    for (const entry of this.inFlight) entry.answer(failure);
    if (this.session !== session) return;
    try {
      await this.reload(session);
    } catch (reloadError) {
      this.log('warn', 'the writer connection is given up', { error: describeFailure(asFailure(reloadError)) });
      session.destroy();
    }
  }

  private async reload(session: WriterSession): Promise<void> {
    const lastPosition = await readLastPosition(session.db);
    const newest = await loadNewestIds(session.db, lastPosition, KNOWN_IDS_MAX);
    this.heads.clear();
    this.knownIds.clear();
    for (const place of newest) this.knownIds.add(place);
    this.lastPosition = lastPosition;
    this.listener.reloaded(lastPosition);
  }

  private answerLate(): void {
    const nowMs = Date.now();
    this.queue.answerLate(nowMs);
    for (const entry of this.inFlight) entry.answerIfLate(nowMs);
  }
}

function headOf(head: Head | undefined, stream: string): Head {
  if (!head) throw new Error(`the head of "${stream}" was not loaded`);
  return head;
}

function neverStored(): never {
  throw new Error('PostgreSQL stored no event of a group, and did not say why');
}
