import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, type Instant, type UserId } from '@app/kernel';
import { Timers } from '@app/timers';
import type { StoredDefinition } from '../definition/automation-definition';
import type { Readings, StoredCondition } from '../condition/condition';
import type { InboundEvent } from '../inputs/input.stream';
import { keyOf, sourceOf, sourcesIn, sourceTimer, type SourceInUse } from './source-key';
import { readingsAt, sampleEveryMs, type Sample, type SampleHistory } from './source-sample';
import { SourceSamples } from './source-samples';

/** A source of a rule that is being defined is sampled this long, by the service clock, before it must be in use. */
const newSourceMs = 2 * sampleEveryMs;

/** The retained samples of the sources that a user's rules read. All methods throw Unavailable when PostgreSQL does not answer. */
@Injectable()
export class Samples {
  constructor(
    private readonly samples: SourceSamples,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** Called before a definition is appended: its sources are sampled now, and for as long as a rule uses them. */
  async watch(userId: UserId, { condition }: Pick<StoredDefinition, 'condition'>): Promise<void> {
    for (const source of sourcesIn(condition, userId)) await this.begin(source);
  }

  /** Starts sampling the source at once, unless it is sampled already. */
  async begin(source: SourceInUse): Promise<void> {
    const now = this.clock.now();
    const keepUntil = instantOf(epochMsOf(now) + newSourceMs);
    if (!(await this.samples.hasTimer(source))) await this.timers.schedule(sourceTimer(source, now, keepUntil));
  }

  /** The readings of a condition's sources at an instant. Asks no provider. */
  async readings(
    userId: UserId,
    condition: StoredCondition | null,
    at: Instant,
    event: InboundEvent | null,
    receivedAt: Instant,
  ): Promise<Readings> {
    const history: Record<string, readonly Sample[]> = {};
    for (const { name, source } of condition?.bindings ?? []) {
      if (source.kind === 'event') continue;
      const last = await this.samples.last(keyOf(sourceOf(source, userId)), at);
      if (last !== null) history[name] = [last];
    }
    return readingsAt(condition, history, at, event === null ? null : { event, receivedAt });
  }

  /** All samples that `readingsAt` needs for evaluations between two instants. */
  async history(userId: UserId, condition: StoredCondition | null, from: Instant, to: Instant): Promise<SampleHistory> {
    const history: Record<string, readonly Sample[]> = {};
    for (const { name, source } of condition?.bindings ?? []) {
      if (source.kind === 'event') continue;
      const samples = await this.samples.between(keyOf(sourceOf(source, userId)), from, to);
      if (samples.length > 0) history[name] = samples;
    }
    return history;
  }
}
