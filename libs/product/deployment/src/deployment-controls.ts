import { Injectable } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeploymentState } from './deployment.decider';
import type { Control } from './deployment.events';
import { deploymentId, deploymentKind } from './deployment.stream';

/** A replica uses the controls that it read for at most this long. Real time. */
const controlsAgeMaxMs = 500;

/** Waits until no replica can still use controls that it read before this call. */
export async function untilEveryReplicaKnows(): Promise<void> {
  await sleep(controlsAgeMaxMs);
}

/**
 * The controls for every admission. They are read from their stream again when the last read is older than half a
 * second: without background work, nothing can be missed, and a pause reaches every replica within that time.
 */
@Injectable()
export class DeploymentControls {
  private known: { readonly state: DeploymentState; readonly readAtMs: number } | null = null;
  private reading: Promise<DeploymentState> | null = null;

  constructor(private readonly states: FoldedStates) {}

  /** Whether an operator has paused the control. @throws Unavailable */
  async isPaused(control: Control): Promise<boolean> {
    return (await this.controls())[control] !== null;
  }

  /** The time and reason of each paused control, or null where it is not paused. @throws Unavailable */
  async controls(): Promise<DeploymentState> {
    if (this.known !== null && performance.now() - this.known.readAtMs < controlsAgeMaxMs) return this.known.state;
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  private async read(): Promise<DeploymentState> {
    // The age counts from before the read, because an event may be appended while the read is in flight.
    const readAtMs = performance.now();
    const { state } = await this.states.fresh(deploymentKind, deploymentId);
    this.known = { state, readAtMs };
    return state;
  }
}
