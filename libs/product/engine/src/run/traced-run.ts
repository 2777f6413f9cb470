import type { ExecutableSegment } from '@app/runs';
import type { Span, SpanAttributes, Tracing } from '@app/runtime';
import type { ToolOutcome } from '@app/conversations';
import type { ClaimedRun } from './claimed-run';
import type { JournaledCall, NextAction } from './next';

/** The attributes that identify a run in its spans. */
export function runAttributes({ runId, conversationId, userId, segment }: ExecutableSegment): SpanAttributes {
  return {
    'parley.run.id': runId,
    'parley.conversation.id': conversationId,
    'parley.user.id': userId,
    'parley.segment': segment,
  };
}

/** The spans of a run's steps. A step lasts from the request to the model until its calls have returned or wait for consent. */
export class TracedSteps {
  private open: Span | null = null;

  constructor(
    private readonly tracing: Tracing,
    private readonly claimed: ClaimedRun,
  ) {}

  /** Runs the work within the span of the step to which the action belongs. */
  async within<Value>(action: NextAction, work: () => Promise<Value>): Promise<Value> {
    if (!this.tracing.on) return work();
    const taken = this.claimed.progress.steps.length;
    if (action.kind === 'ask_model') this.begin(taken + 1);
    // The calls of a step that another worker began, or that waited for consent.
    else if (this.open === null && action.kind === 'run_tools') this.begin(taken);
    return this.tracing.within(this.open, work);
  }

  /** Ends the span of the last step. */
  end(): void {
    this.open?.end();
    this.open = null;
  }

  private begin(step: number): void {
    this.end();
    const attributes = { 'parley.step': step, ...runAttributes(this.claimed.run) };
    this.open = this.tracing.begin('step', { attributes });
  }
}

/** Runs a call in a span of its own. Names that the profile does not list are recorded as `unknown`, because a model invented them. */
export async function traceCall<Result extends { readonly outcome: ToolOutcome }>(
  tracing: Tracing,
  { run, progress }: ClaimedRun,
  { tool, toolCallId }: JournaledCall,
  work: () => Promise<Result>,
): Promise<Result> {
  const name = progress.profile.tools.includes(tool) ? tool : 'unknown';
  const attributes = { 'gen_ai.tool.name': name, 'parley.tool_call.id': toolCallId, 'parley.run.id': run.runId };
  return tracing.span('tool call', { attributes }, async (span) => {
    const result = await work();
    span?.set({ 'parley.outcome': result.outcome });
    return result;
  });
}
