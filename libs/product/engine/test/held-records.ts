import { Streams } from '@app/event-store';
import { SegmentClosing, type SegmentEnd } from '@app/runs';
import type { Deployment } from '@app/testing/deployment';
import { partOf } from '@app/testing/journeys';
import { ClaimedRun, type HeldCommand, type Recording } from '../src/run/claimed-run';

/** A point at which a caller waits until it is released. */
class Stand {
  private arrive: () => void = () => undefined;
  private wake: () => void = () => undefined;
  readonly reached = new Promise<void>((resolve) => (this.arrive = resolve));
  private readonly woken = new Promise<void>((resolve) => (this.wake = resolve));

  async stay(): Promise<void> {
    this.arrive();
    await this.woken;
  }

  release(): void {
    this.wake();
  }
}

/** A run that is held before its append. */
class HeldRecord extends Stand {
  tell: (recording: Promise<Recording>) => void = () => undefined;
  /** The result of the append. */
  readonly told = new Promise<Recording>((resolve) => (this.tell = resolve));

  constructor(readonly at: HeldCommand['type'] | null) {
    super();
  }
}

/** Holds the runs of a process before it appends results of the engine; changes nothing else. */
export class HeldRecords {
  private readonly held = new Map<string, HeldRecord>();

  constructor(private readonly deployment: Deployment) {}

  /** Stays active until all mocks are restored. */
  watch(): void {
    const { record } = ClaimedRun.prototype;
    const pass = (claimed: ClaimedRun, command: HeldCommand) => this.pass(claimed, command, record);
    jest.spyOn(ClaimedRun.prototype, 'record').mockImplementation(function (this: ClaimedRun, command) {
      return pass(this, command);
    });
  }

  /** Holds the run in that replica at its first command of the type; at its very first if that is null. */
  hold(replica: number, runId: string, at: HeldCommand['type'] | null): void {
    this.held.set(keyOf(replica, runId), new HeldRecord(at));
  }

  /** Resolves when the run is held there. */
  async reached(replica: number, runId: string): Promise<void> {
    await this.of(replica, runId).reached;
  }

  /** Releases the run; resolves to the result of its append. */
  async release(replica: number, runId: string): Promise<Recording> {
    const record = this.of(replica, runId);
    record.release();
    return record.told;
  }

  private async pass(claimed: ClaimedRun, command: HeldCommand, record: ClaimedRun['record']): Promise<Recording> {
    const replica = this.deployment.running.findIndex(
      (_, index) => partOf(this.deployment, Streams, index) === claimed['stores'].streams,
    );
    const held = this.held.get(keyOf(replica, claimed.run.runId));
    if (held === undefined || (held.at !== null && held.at !== command.type)) return record.call(claimed, command);
    await held.stay();
    // Its further commands are not held.
    this.held.delete(keyOf(replica, claimed.run.runId));
    const recording = record.call(claimed, command);
    held.tell(recording);
    return recording;
  }

  private of(replica: number, runId: string): HeldRecord {
    const held = this.held.get(keyOf(replica, runId));
    if (held === undefined) throw new Error(`run ${runId} is not held in replica ${replica}`);
    return held;
  }
}

function keyOf(replica: number, runId: string): string {
  return `${replica} ${runId}`;
}

/** Holds the first closing of each segment in that replica: its executor's, before the watchdog's. */
export function heldClosings(deployment: Deployment, replica: number): { release(): Promise<void> } {
  const closing = partOf(deployment, SegmentClosing, replica);
  const close = closing.close.bind(closing);
  const stands = new Map<string, Stand>();
  const closed: Promise<void>[] = [];
  jest.spyOn(closing, 'close').mockImplementation(async (end: SegmentEnd, conversationId, cause) => {
    const key = `${end.runKey} ${end.segment}`;
    if (stands.has(key)) return close(end, conversationId, cause);
    const stand = new Stand();
    stands.set(key, stand);
    const done = stand.stay().then(() => close(end, conversationId, cause));
    closed.push(done);
    return done;
  });
  return {
    release: async () => {
      for (const stand of stands.values()) stand.release();
      await Promise.all(closed);
    },
  };
}
