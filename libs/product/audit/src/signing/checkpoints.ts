import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import { causeOfService, Clock, type Cause } from '@app/kernel';
import {
  checkpointText,
  fromBase64,
  noteText,
  sameHash,
  signatureOf,
  toBase64,
  verifierKeyText,
  type TreeEdge,
} from '@app/transparency';
import { v4 as uuidV4 } from 'uuid';
import { isUnsigned } from '../checkpoints/checkpoints.decider';
import type { CheckpointCommand, CheckpointsState, FixedCheckpoint } from '../checkpoints/checkpoints.decider';
import { checkpointsId, checkpointsKind } from '../checkpoints/checkpoints.stream';
import type { ResumedAs } from '../checkpoints/checkpoints.events';
import { howToResume, type LogHold } from '../log/log-hold';
import { LogIdentity, type Resuming } from '../log/log-identity';
import { type LogPlace, LogTables } from '../log/log-tables';
import { LogKeys } from './log-keys';

/** The channel on which a process asks the one that builds the log for a checkpoint now. A hint. */
export const checkpointWanted = 'parley_checkpoint_wanted';

/** Signing would contradict an earlier signature: the store or the log's tables were altered. The log signs nothing more. */
export class LogForked extends Error {}

/** The log signs nothing until an operator says whether it is a copy or a successor. */
export class LogHeld extends Error {
  constructor(readonly hold: LogHold) {
    super(`the log signs nothing: ${hold.says}; ${howToResume}`);
  }
}

/** Fewer events are stored than were signed, and none is left to read: the event store has lost some. The log signs nothing more. */
export class LogIncomplete extends Error {
  constructor(
    readonly signed: number,
    readonly size: number,
  ) {
    super(
      `the log signed ${signed} events, and the event store holds ${size} for a database that has to read them again: ` +
        'what is missing was scavenged or deleted; restore the database from a newer copy',
    );
  }
}

/** The log's checkpoints: decided on `audit-checkpoints` first, then signed. */
@Injectable()
export class Checkpoints {
  private readonly cause: Cause = causeOfService('audit', uuidV4());

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly tables: LogTables,
    private readonly keys: LogKeys,
    private readonly clock: Clock,
    private readonly identity: LogIdentity,
  ) {}

  /** The state of the checkpoints as of now. Throws Unavailable. */
  async current(): Promise<CheckpointsState> {
    return (await this.states.fresh(checkpointsKind, checkpointsId)).state;
  }

  /**
   * Makes a checkpoint of the tree if it has grown since the last one. @throws LogHeld; LogForked if the tree does not
   * begin with what was decided before; LogIncomplete if it is smaller, so that nothing can be signed until more is
   * read; Unavailable
   */
  async make(place: LogPlace, edge: TreeEdge): Promise<CheckpointsState> {
    const hold = await this.identity.hold();
    if (hold !== null) throw new LogHeld(hold);
    const known = await this.opened();
    // The process that decided it may have died before signing.
    const state = isUnsigned(known) ? await this.sign(known) : known;
    const before = state.fixed;
    if (place.size < (before?.size ?? 0)) throw new LogIncomplete(before?.size ?? 0, place.size);
    if (place.size === (before?.size ?? 0) || place.size <= state.above) return state;
    if (before !== null) await this.checkBegins(before);
    const root = toBase64(edge.root());
    return this.sign(await this.decide({ type: 'Fix', at: this.now(), root, ...place }));
  }

  /** Names the log, unless it has a name. @returns its origin. Throws Unavailable. */
  async open(): Promise<string> {
    const { origin } = await this.opened();
    if (origin === null) throw new Error('the log has no name');
    return origin;
  }

  /** Ends a hold, so that the log signs again; once for each hold. @returns the state afterwards. Throws Unavailable. */
  async resume(as: ResumedAs, { hold, origin }: Resuming, above: number): Promise<CheckpointsState> {
    return this.decide({ type: 'Resume', at: this.now(), as, hold, origin, above });
  }

  private async opened(): Promise<CheckpointsState> {
    const state = await this.current();
    if (state.origin !== null) return state;
    return this.decide({ type: 'Open', at: this.now(), origin: `parley/${uuidV4()}` });
  }

  /** Signs the last decided tree, if the local tables contain it and agree with it. */
  private async sign(state: CheckpointsState): Promise<CheckpointsState> {
    const { fixed, origin } = state;
    const root = fixed && fromBase64(fixed.root);
    if (fixed === null || origin === null || root === null || !isUnsigned(state)) return state;
    const { size } = fixed;
    // Another process, which has read more, may have decided it.
    if (size > (await this.tables.place()).size) return state;
    await this.checkBegins(fixed);
    const key = await this.keys.of(origin);
    const text = checkpointText({ origin, size, root });
    const note = noteText({ text, signatures: [signatureOf(key, text)] });
    return this.decide({ type: 'Sign', at: this.now(), size, key: verifierKeyText(key), note });
  }

  private async checkBegins({ size, root }: FixedCheckpoint): Promise<void> {
    const decided = fromBase64(root);
    const kept = await this.tables.rootOf(size);
    if (decided !== null && kept !== null && sameHash(kept, decided)) return;
    throw new LogForked(`the log's first ${size} leaves are not those of its checkpoint`);
  }

  /** Adds a witness's line, unless it is there or the checkpoint is too old. Throws Unavailable. */
  async cosign(size: number, witness: string, line: string): Promise<void> {
    await this.decide({ type: 'Cosign', at: this.now(), size, witness, line });
  }

  private async decide(command: CheckpointCommand): Promise<CheckpointsState> {
    const decided = await this.streams.decide(checkpointsKind, checkpointsId, command, this.cause);
    if (!decided.ok) throw new Error(`${command.type}: ${JSON.stringify(decided)}`);
    return decided.value.state;
  }

  private now() {
    return this.clock.now();
  }
}
