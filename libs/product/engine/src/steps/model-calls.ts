import { Inject, Injectable } from '@nestjs/common';
import { Metrics, Tracing, type Span } from '@app/runtime';
import type { ExecutableSegment } from '@app/runs';
import { Counter, Histogram } from 'prom-client';
import type { AnswerEnding, LanguageModel, ModelReply, ShowPiece, StepRequest } from '../models/model';
import { chatSpan, noteFailure, noteReply, noteRequest } from './chat-span';

type Outcome = 'answered' | 'failed' | 'aborted';

/** Calls models, with a span and metrics for each step. */
@Injectable()
export class ModelCalls {
  private readonly durations: Histogram<'model' | 'outcome'>;
  private readonly tokens: Counter<'model' | 'direction'>;
  private readonly cost: Counter<'model'>;

  constructor(
    @Inject(Tracing) private readonly tracing: Tracing,
    @Inject(Metrics) { registry }: Metrics,
  ) {
    const registers = [registry];
    this.durations = new Histogram({
      name: 'parley_model_step_duration_seconds',
      help: 'Time of one step of a model with all its attempts, by model and outcome (answered, failed, aborted)',
      labelNames: ['model', 'outcome'],
      buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
      registers,
    });
    this.tokens = new Counter({
      name: 'parley_model_tokens_total',
      help: 'Tokens that models read and wrote, by model and direction (input, output)',
      labelNames: ['model', 'direction'],
      registers,
    });
    this.cost = new Counter({
      name: 'parley_model_cost_micro_cents_total',
      help: 'Cost of model steps in millionths of a cent, by model',
      labelNames: ['model'],
      registers,
    });
  }

  /** Asks a model for one step; resolves and rejects as the model's own `step` does. */
  async step(
    model: LanguageModel,
    run: ExecutableSegment,
    request: StepRequest,
    onPiece: ShowPiece,
    signal: AbortSignal,
  ): Promise<ModelReply> {
    const begun = (span: Span | null) => this.counted(model, request, onPiece, signal, span);
    if (!this.tracing.on) return begun(null);
    const { name, start } = chatSpan(model, run, request);
    return this.tracing.span(name, start, begun);
  }

  private async counted(
    model: LanguageModel,
    request: StepRequest,
    onPiece: ShowPiece,
    signal: AbortSignal,
    span: Span | null,
  ): Promise<ModelReply> {
    const startedAtMs = performance.now();
    let outcome: Outcome = 'failed';
    noteRequest(span, request);
    try {
      const reply = await model.step(request, onPiece, signal);
      outcome = outcomeOf(reply.ending);
      this.count(model.name, reply);
      noteReply(span, reply);
      return reply;
    } catch (error) {
      if (signal.aborted) outcome = 'aborted';
      noteFailure(span, error, signal.aborted);
      throw error;
    } finally {
      this.durations.observe({ model: model.name, outcome }, (performance.now() - startedAtMs) / 1000);
      span?.set({ 'parley.outcome': outcome });
    }
  }

  private count(model: string, { inputTokens, outputTokens, costMicroCents }: ModelReply): void {
    this.tokens.inc({ model, direction: 'input' }, inputTokens);
    this.tokens.inc({ model, direction: 'output' }, outputTokens);
    this.cost.inc({ model }, costMicroCents);
  }
}

function outcomeOf(ending: AnswerEnding): Outcome {
  if (ending === 'stopped') return 'aborted';
  return ending === 'whole' || ending === 'cut' ? 'answered' : 'failed';
}
