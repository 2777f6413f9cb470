import { Injectable } from '@nestjs/common';
import type { ConversationEvent, RunState } from '@app/conversations';
import type { Cause, RunKey } from '@app/kernel';
import type { ExecutableSegment } from './execution-slots';

/** A segment that this process has just begun, with everything known about it without a read. */
export interface BegunSegment extends ExecutableSegment {
  /** The state after the append that began it; this process is its holder. */
  readonly run: RunState;
  /** The events of that append. */
  readonly events: readonly ConversationEvent[];
  /** The cause of the engine's events in it. */
  readonly cause: Cause;
  /** Its reservation of the user's budget, in cents. */
  readonly heldCents: number;
}

/** Port: executes runs in this process. */
export interface Executor {
  /** Whether there is room for one more, which is reserved for it until it begins or is given back. */
  reserve(runKey: RunKey): boolean;
  begin(segment: BegunSegment): void;
  giveBack(runKey: RunKey): void;
}

/** Room for one segment in this process: it is either begun or given back. */
export interface Place {
  begin(segment: BegunSegment): void;
  giveBack(): void;
}

/**
 * Executes runs in the process that admits or resumes them: it continues from the state in memory, so that no worker has to find and read
 * the run first. If this process executes nothing, or has no room, some worker claims the segment.
 */
@Injectable()
export class LocalExecution {
  private executor: Executor | null = null;

  /** From now on, segments that begin in this process are executed by this executor. */
  offer(executor: Executor): void {
    this.executor = executor;
  }

  /** Reserves room for a segment of the run; null if there is none. */
  reserve(runKey: RunKey): Place | null {
    const { executor } = this;
    if (executor?.reserve(runKey) !== true) return null;
    return { begin: (segment) => executor.begin(segment), giveBack: () => executor.giveBack(runKey) };
  }
}
