import type { JsonValue } from '@app/kernel';
import type { ExecutableSegment } from '@app/runs';
import type { Span, SpanAttributes, SpanStart, Tracing } from '@app/runtime';
import type { ToolOutcome } from '@app/conversations';
import { boundedJson } from './span-content';
import { genAi, operations } from '../models/conventions/names.adapter';
import type { ClaimedRun } from './claimed-run';
import type { JournaledCall, NextAction } from './next';

/** The name of a span, and the rest that it begins with. */
export interface NamedStart {
  readonly name: string;
  readonly start: SpanStart;
}

/** The attributes by which the spans of a run, a conversation and a user are found. */
export function ownerAttributes({ runId, conversationId, userId }: ExecutableSegment): SpanAttributes {
  return { [genAi.conversationId]: conversationId, 'parley.run.id': runId, 'parley.user.id': userId };
}

/** The attributes that identify a segment of a run in its spans. */
export function segmentAttributes(run: ExecutableSegment): SpanAttributes {
  return { ...ownerAttributes(run), 'parley.segment': run.segment };
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
    const attributes = { 'parley.step': step, ...segmentAttributes(this.claimed.run) };
    this.open = this.tracing.begin('step', { attributes });
  }
}

/** The `error.type` of a tool that returned an error, as the conventions have it for MCP. */
const toolError = 'tool_error';

/** Runs a call in a span of its own. Names that the profile does not list are recorded as `unknown`, because a model invented them. */
export async function traceCall<Result extends { readonly outcome: ToolOutcome; readonly result: JsonValue }>(
  tracing: Tracing,
  { run, progress }: ClaimedRun,
  { tool, toolCallId, input }: Pick<JournaledCall, 'tool' | 'toolCallId' | 'input'>,
  work: () => Promise<Result>,
): Promise<Result> {
  if (!tracing.on) return work();
  const name = progress.profile.tools.includes(tool) ? tool : 'unknown';
  const attributes = {
    [genAi.operation]: operations.tool,
    [genAi.toolName]: name,
    [genAi.toolType]: 'function',
    [genAi.toolCallId]: toolCallId,
    ...ownerAttributes(run),
  };
  return tracing.span(`${operations.tool} ${name}`, { attributes }, async (span) => {
    if (span?.takesContent === true) span.set({ [genAi.toolArguments]: boundedJson(input) });
    const done = await work();
    span?.set({ 'parley.outcome': done.outcome });
    if (span?.takesContent === true) span.set({ [genAi.toolResult]: boundedJson(done.result) });
    if (done.outcome === 'error') span?.fail(toolError);
    return done;
  });
}
