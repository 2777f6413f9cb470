import { Injectable } from '@nestjs/common';
import type { ClaimableRun } from '@app/runs';
import { Tracing } from '@app/runtime';
import type { ClaimedRun, OpenRun, Signals } from './claimed-run';
import { LeaseRecoveries } from './lease-recoveries';
import { RunJournal } from './run-journal';
import { RunSteps, type Execution } from './run-steps';
import { SegmentAdmission, type Reservation } from './segment-admission';
import { runAttributes, TracedSteps } from './traced-run';

/** Executes segments of runs: admits a segment, claims its run, and takes its steps one by one. */
@Injectable()
export class ExecuteRun {
  constructor(
    private readonly journal: RunJournal,
    private readonly admission: SegmentAdmission,
    private readonly steps: RunSteps,
    private readonly recoveries: LeaseRecoveries,
    private readonly tracing: Tracing,
  ) {}

  /** Executes a segment until it is over, somebody else has it, or a signal says otherwise. Throws Unavailable. */
  async execute(run: ClaimableRun, signals: Omit<Signals, 'any'>): Promise<Execution> {
    const open = await this.journal.findOpen(run);
    if (open === null) return { kind: 'over', position: null };
    const any = AbortSignal.any([signals.stop, signals.shutdown]);
    const traced = { kind: 'consumer', cause: open.cause.correlationId, attributes: runAttributes(run) } as const;
    return this.tracing.span('run', traced, async () => this.executeOpen(open, { ...signals, any }));
  }

  private async executeOpen(open: OpenRun, signals: Signals): Promise<Execution> {
    const reservation = await this.admission.admit(open);
    if (reservation === null) return { kind: 'left' };
    const claimed = await this.journal.claim(open);
    if (claimed === null) {
      await this.admission.giveBack(open);
      return { kind: 'over', position: null };
    }
    this.recoveries.recordClaim(open);
    return this.takeSteps(claimed, reservation, signals);
  }

  /** Takes the steps of a run that this process holds, starting where its journal ends. */
  private async takeSteps(claimed: ClaimedRun, reservation: Reservation, signals: Signals): Promise<Execution> {
    const spans = new TracedSteps(this.tracing, claimed);
    try {
      for (;;) {
        if (signals.shutdown.aborted) return { kind: 'left' };
        if (signals.stop.aborted) claimed.markStopping();
        const action = this.steps.next(claimed);
        const execution = await spans.within(action, () => this.steps.perform(claimed, action, reservation, signals));
        if (execution !== null) return execution;
      }
    } finally {
      spans.end();
    }
  }
}
