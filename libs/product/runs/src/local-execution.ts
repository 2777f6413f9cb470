import { Injectable } from '@nestjs/common';
import type { ConversationEvent, RunState } from '@app/conversations';
import type { Cause, RunKey } from '@app/kernel';
import type { ExecutableSegment } from './execution-slots';

/** A segment that this process has just begun, and what it knows of it without reading anything. */
export interface BegunSegment extends ExecutableSegment {
  /** As the append that began it has left it; this process is its holder. */
  readonly run: RunState;
  /** What was appended then. */
  readonly events: readonly ConversationEvent[];
  /** Of what the engine does in it. */
  readonly cause: Cause;
  /** What it holds of its user's budget, in cents. */
  readonly heldCents: number;
}

/** What executes runs in this process. */
export interface Executor {
  /** Whether there is room for one more, which is kept for it until it begins or is given back. */
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
 * The execution of runs in the very process that admits or resumes them: it goes on from the state that it has, and nobody has to find
 * and read it first. Where this process executes nothing, or has no room, some worker takes the segment.
 */
@Injectable()
export class LocalExecution {
  private executor: Executor | null = null;

  /** From now on, segments that begin here are executed here. */
  offer(executor: Executor): void {
    this.executor = executor;
  }

  /** Room for a segment of the run; null where there is none. */
  reserve(runKey: RunKey): Place | null {
    const { executor } = this;
    if (executor?.reserve(runKey) !== true) return null;
    return { begin: (segment) => executor.begin(segment), giveBack: () => executor.giveBack(runKey) };
  }
}
