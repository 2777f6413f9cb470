import { Injectable, Logger } from '@nestjs/common';
import type { ToolReturn } from '@app/conversations';
import { LiveFrames } from '@app/journal';
import { Clock, type ToolCallId } from '@app/kernel';
import { Probe, settledWithin, Tracing, unlessAborted } from '@app/runtime';
import { ApprovedCalls, type CallOutcome } from '../run/approved-calls';
import type { ClaimedRun, Recording, Signals } from '../run/claimed-run';
import { changedNumberIn } from '../models/kept-input';
import type { ToolOffer } from '../models/model';
import type { JournaledCall, RunProgress } from '../run/next';
import { failWith, isOwnStore } from '../tool';
import type { CallContext, ReportedProgress, ReportProgress, Tool } from '../tool';
import { Tools } from '../tools';
import { traceCall } from '../run/traced-run';
import { CallProgress } from './call-progress';

/** How long a step waits, before it is recorded, for calls that only read. */
const lookMs = 15;

/** A call that a model makes, before it is journaled. */
type StepCall = Pick<JournaledCall, 'toolCallId' | 'tool' | 'input'>;

/** The tool calls of a model: decides which a run may make and which need consent, and runs them. */
@Injectable()
export class ToolCalls {
  private readonly logger = new Logger(ToolCalls.name);

  constructor(
    private readonly tools: Tools,
    private readonly approved: ApprovedCalls,
    private readonly live: LiveFrames,
    private readonly clock: Clock,
    private readonly probe: Probe,
    private readonly tracing: Tracing,
  ) {}

  /** Whether the user must consent. Follows from the registry, never from text. */
  needsConsent(claimed: ClaimedRun, name: string): boolean {
    return mayCall(claimed, name) && this.tools.find(name)?.consent === 'ask';
  }

  /** The tools that a run may use, as described to models. */
  offers({ profile }: RunProgress): readonly ToolOffer[] {
    const offered = profile.tools.flatMap((name) => this.tools.find(name) ?? []);
    return offered.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  /**
   * Starts those calls of a step that only read, before the step is recorded: results that arrive within a moment are recorded with it, and
   * `run` waits for the others. Never rejects.
   */
  async look(claimed: ClaimedRun, calls: readonly StepCall[], signals: Signals): Promise<readonly ToolReturn[]> {
    const looks = calls.filter(({ tool }) => mayCall(claimed, tool) && this.tools.find(tool)?.effect === 'none');
    const made = looks.map((call) => ({ ...call, approval: null, cutOff: false, returned: null }));
    const returned: ToolReturn[] = [];
    const outcomes = made.map(async (call) => {
      const outcome = this.make(claimed, call, signals);
      claimed.underWay.set(call.toolCallId, outcome);
      returned.push({ toolCallId: call.toolCallId, ...(await outcome) });
    });
    if (outcomes.length > 0) await settledWithin(outcomes, lookMs);
    // A call that was interrupted is made again by the process that continues the run.
    return signals.any.aborted ? [] : [...returned];
  }

  /**
   * Runs calls in parallel and records each as it returns; `fenced` when another worker has claimed the run. A tool's failure is reported
   * to the model. A call that was cut off waits for its server; if that shows that the user has not been asked yet, nothing is recorded,
   * and the next action asks. Throws Unavailable for a store of our own: the run is then claimed again.
   */
  async run(claimed: ClaimedRun, calls: readonly JournaledCall[], signals: Signals): Promise<Recording> {
    const recordings = await Promise.all(
      calls.map(async (call) => {
        if (call.cutOff) await this.lookAgain(claimed, call, signals.any);
        if (call.approval === null && this.needsConsent(claimed, call.tool)) return 'recorded';
        const { outcome, result } = await (claimed.underWay.get(call.toolCallId) ?? this.make(claimed, call, signals));
        if (signals.shutdown.aborted) return 'recorded';
        return claimed.record({ type: 'ReturnTool', toolCallId: call.toolCallId, outcome, result });
      }),
    );
    return recordings.includes('fenced') ? 'fenced' : 'recorded';
  }

  /** Gives the server of a call that was cut off the time to return. */
  private async lookAgain(claimed: ClaimedRun, { tool }: JournaledCall, signal: AbortSignal): Promise<void> {
    if (!mayCall(claimed, tool)) return;
    try {
      await this.tools.findAgain(tool, signal);
    } catch (error) {
      if (!signal.aborted) throw error; // if aborted, the call itself reports that it was stopped
    }
  }

  private async make(claimed: ClaimedRun, call: JournaledCall, signals: Signals): Promise<CallOutcome> {
    this.probe.reached('tool:before');
    const outcome = await traceCall(this.tracing, claimed, call, () => this.runOne(claimed, call, signals.any));
    this.probe.reached('tool:after');
    return outcome;
  }

  /** Returns at once when the signal aborts; a tool that ignores it ends by its own limits. */
  private async runOne(claimed: ClaimedRun, call: JournaledCall, signal: AbortSignal): Promise<CallOutcome> {
    const tool = this.tools.find(call.tool);
    // A model may invent names, or name a tool that this run may not use.
    if (!mayCall(claimed, call.tool)) return failWith('this run has no such tool');
    // The effect of a tool that is unavailable is unknown.
    if (call.cutOff && tool === undefined)
      return failWith('outcome unknown: the call was cut off, and its server is still away');
    if (call.cutOff && tool?.effect === 'once')
      return failWith('outcome unknown: the call was cut off and is not made again');
    if (tool === undefined) return failWith('this run has no such tool, or its server is away');
    const changed = changedNumberIn(call.input);
    if (changed !== null) return failWith(changed);
    const progress = new CallProgress((shown) => this.showProgress(claimed, call.toolCallId, shown));
    try {
      return await unlessAborted(this.start(tool, claimed, call, progress.take, signal), signal);
    } catch (error) {
      if (isOwnStore(error)) throw error;
      if (signal.aborted) return failWith('the call was stopped');
      this.logger.error({ msg: `the tool ${call.tool} failed`, ...claimed.names, err: error });
      return failWith('the tool failed');
    } finally {
      // The last report is shown before the return is recorded.
      if (progress.end() && !signal.aborted) await this.live.flush(claimed.run.conversationId);
    }
  }

  private showProgress({ run }: ClaimedRun, toolCallId: ToolCallId, shown: ReportedProgress): void {
    const { runId, conversationId } = run;
    const at = this.clock.now();
    this.live.publish(conversationId, { type: 'agent.tool_progress', at, runId, toolCallId, ...shown });
  }

  private start(
    tool: Tool,
    claimed: ClaimedRun,
    call: JournaledCall,
    report: ReportProgress,
    signal: AbortSignal,
  ): Promise<CallOutcome> {
    const context: CallContext = { ...claimed.context, toolCallId: call.toolCallId, report };
    return tool.consent === 'auto'
      ? tool.run(call.input, context, signal)
      : this.approved.run(tool, call, claimed.progress.resumedAt, context, signal);
  }
}

function mayCall({ progress }: ClaimedRun, name: string): boolean {
  return progress.profile.tools.includes(name);
}
