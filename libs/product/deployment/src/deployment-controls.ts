import { Injectable } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeploymentState } from './deployment.decider';
import type { Control } from './deployment.events';
import { deploymentId, deploymentKind } from './deployment.stream';

/** How old the controls may be that a replica goes by. Real time. */
const controlsAgeMaxMs = 500;

/** Waits until no replica can know the controls from before this call. */
export async function untilEveryReplicaKnows(): Promise<void> {
  await sleep(controlsAgeMaxMs);
}

/**
 * The controls as every admission asks for them. They are read from their stream again when what is known is older than half a second:
 * nothing runs in the background, nothing can be missed, and a pause reaches every replica within that time.
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

  /** Since when and why each control is paused, or null where it is not. @throws Unavailable */
  async controls(): Promise<DeploymentState> {
    if (this.known !== null && performance.now() - this.known.readAtMs < controlsAgeMaxMs) return this.known.state;
    this.reading ??= this.read().finally(() => (this.reading = null));
    return this.reading;
  }

  private async read(): Promise<DeploymentState> {
    // The age counts from before the read, so that it covers what is appended while the read is on its way.
    const readAtMs = performance.now();
    const { state } = await this.states.current(deploymentKind, deploymentId);
    this.known = { state, readAtMs };
    return state;
  }
}
