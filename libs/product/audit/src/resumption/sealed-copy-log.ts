import { decodeEvent, decodeOwn, encodeEvent, type ReceivedEvent } from '@app/event-store';
import { canonicalText } from '@app/canonical';
import { causeOfService, instantOf, isJsonObject, type Instant } from '@app/kernel';
import { v4 as uuidV4 } from 'uuid';
import { checkpointsDecider, type CheckpointsState } from '../checkpoints/checkpoints.decider';
import type { CheckpointEvent, FormerLog } from '../checkpoints/checkpoints.events';
import { checkpointsKind } from '../checkpoints/checkpoints.stream';
import { checkpointsStream } from '../log/covered-events';

type Resumed = Extract<CheckpointEvent, { readonly type: 'log.resumed' }>;

/** The event that begins the log of a copy, with the bytes to store. */
interface BeginningEvent {
  readonly stream: string;
  readonly revision: bigint;
  /** Unknown before it is stored. */
  readonly position: 0n;
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/**
 * The log of a store that is copied while the words in it are sealed (docs/decisions/personal-data.md, "Older data"). All leaves change, so
 * the copy ends with one more event of `audit-checkpoints`: it begins another log, and holds the last checkpoint of the one before.
 */
export class SealedCopyLog {
  private state: CheckpointsState = checkpointsDecider.initialState;
  private revision = -1;

  /** Takes the next event of the source's `audit-checkpoints`. */
  take(received: ReceivedEvent): void {
    const stored = decodeOwn(received);
    this.revision = received.revision;
    if (stored !== null)
      this.state = checkpointsDecider.evolve(this.state, decodeEvent<CheckpointEvent>(checkpointsKind, stored).event);
  }

  /** Returns the event that begins the copy's log; null for a store whose log has decided on no tree, so that it can go on as it is. */
  beginning(at: Instant): BeginningEvent | null {
    const resumed = this.resumed(at);
    if (resumed === null) return null;
    const { id, type, data, metadata } = encodeEvent(checkpointsKind, resumed, causeOfService('audit', uuidV4()));
    return {
      stream: checkpointsStream,
      revision: BigInt(this.revision + 1),
      position: 0n,
      id,
      type,
      contentType: 'application/json',
      data: Buffer.from(JSON.stringify(data)),
      metadata: Buffer.from(JSON.stringify(metadata)),
    };
  }

  /** Returns the name of the copy's log, if this event of the copy begins it; else null. */
  begunBy(received: ReceivedEvent): string | null {
    const stored = decodeOwn(received);
    const expected = this.resumed(instantOfNone);
    if (expected === null || stored?.stream !== checkpointsStream || stored.type !== expected.type) return null;
    if (stored.revision !== this.revision + 1) return null;
    // Reason for the assertion: the type was compared.
    const { as, hold, origin, from, anew } = stored.payload as unknown as Resumed;
    const isIt = as === 'copy' && anew === true && hold === expected.hold && isSameFormer(from, expected.from);
    return isIt ? origin : null;
  }

  private resumed(at: Instant): Resumed | null {
    const { origin, fixed } = this.state;
    if (origin === null || fixed === null) return null;
    const hold = `sealed:${origin}`;
    const decision = checkpointsDecider.decide(
      { type: 'Resume', at, as: 'copy', hold, origin: `parley/${uuidV4()}`, above: 0, anew: true },
      this.state,
    );
    const [event] = decision.accepted ? decision.events : [];
    return event?.type === 'log.resumed' ? event : null;
  }
}

/** The time of an event that is compared, and never stored. */
const instantOfNone = instantOf(0);

function isSameFormer(one: FormerLog | null, other: FormerLog | null): boolean {
  return isJsonObject(one) && isJsonObject(other) && canonicalText(one) === canonicalText(other);
}
