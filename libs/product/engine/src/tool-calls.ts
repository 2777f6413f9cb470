import { Injectable, Logger } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import { unlessAborted } from '@app/runtime';
import type { ClaimedRun, Recording } from './claimed-run';
import { ConsentCalls, type ConsentResult } from './consent-calls';
import type { ToolOffer } from './model';
import type { JournaledCall, RunProgress } from './next';
import { failWith, type RunContext } from './tool';
import { Tools } from './tools';

/** The calls that a model makes: which of them a run may make, which need consent, and what comes of each. */
@Injectable()
export class ToolCalls {
  private readonly logger = new Logger(ToolCalls.name);

  constructor(
    private readonly tools: Tools,
    private readonly consents: ConsentCalls,
  ) {}

  /** Whether the user must consent; that follows from the registry, never from text. */
  needsConsent(claimed: ClaimedRun, name: string): boolean {
    return mayCall(claimed, name) && this.tools.find(name)?.consent === 'ask';
  }

  /** The tools that a run may use, as models are told of them. */
  offers({ profile }: RunProgress): readonly ToolOffer[] {
    const offered = profile.tools.flatMap((name) => this.tools.find(name) ?? []);
    return offered.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  }

  /**
   * Opens approvals and suspends the run; calls that cannot be made return their error. Rejects with the signal's reason when it aborts
   * before all is reviewed. Throws Unavailable for a store of our own.
   */
  async askConsent(claimed: ClaimedRun, calls: readonly JournaledCall[], signal: AbortSignal): Promise<Recording> {
    try {
      return await this.consents.ask(claimed, calls, contextOf(claimed), signal);
    } catch (error) {
      if (isOurStore(error) || signal.aborted) throw error;
      this.logger.error('calls could not be reviewed', error);
    }
    for (const { toolCallId } of calls) {
      const unreviewed = failWith('the call could not be reviewed now');
      const recording = await claimed.record({ type: 'ReturnTool', toolCallId, ...unreviewed });
      if (recording !== 'recorded') return recording;
    }
    return 'recorded';
  }

  /**
   * Runs one call; no longer than until the signal aborts, whatever the tool is waiting for: what goes on then ends by its own limits.
   * A tool's failure is told to the model; throws Unavailable for a store of our own: the run is then claimed again.
   */
  async run(claimed: ClaimedRun, call: JournaledCall, signal: AbortSignal): Promise<ConsentResult> {
    const tool = this.tools.find(call.tool);
    // A model may invent names, or name a tool that this run may not use.
    if (!mayCall(claimed, call.tool)) return failWith('this run has no such tool');
    // Of a tool that is away nobody knows what making the call again would do.
    if (call.cutOff && tool?.effect !== 'repeatable')
      return failWith('outcome unknown: the call was cut off and is not made again');
    if (tool === undefined) return failWith('this run has no such tool, or its server is away');
    const context = { ...contextOf(claimed), toolCallId: call.toolCallId };
    try {
      const { resumedAt } = claimed.progress;
      const going =
        tool.consent === 'auto'
          ? tool.run(call.input, context, signal)
          : this.consents.run(tool, call, resumedAt, context, signal);
      return await unlessAborted(going, signal);
    } catch (error) {
      if (isOurStore(error)) throw error;
      if (signal.aborted) return failWith('the call was stopped');
      this.logger.error(`the tool ${call.tool} failed`, error);
      return failWith('the tool failed');
    }
  }
}

function mayCall({ progress }: ClaimedRun, name: string): boolean {
  return progress.profile.tools.includes(name);
}

function contextOf({ run, cause, progress }: ClaimedRun): RunContext {
  const { userId, conversationId, runId } = run;
  return { userId, conversationId, runId, automationId: progress.automationId, cause };
}

/** What a tool asked of a store of ours may have been done all the same, so this is no failure that the model could be told. */
function isOurStore(error: unknown): boolean {
  return error instanceof Unavailable && error.reason !== 'provider_unavailable';
}
