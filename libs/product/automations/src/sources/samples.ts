import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, type Instant, type UserId } from '@app/kernel';
import { Timers } from '@app/timers';
import type { AutomationDefinition } from '../definition/automation-definition';
import type { Condition, Readings } from '../condition/condition';
import type { InboundEvent } from '../inputs/input.stream';
import { keyOf, sourceOf, sourcesIn, sourceTimer, type SourceInUse } from './source-key';
import { readingsAt, sampleEveryMs, type Sample, type SampleHistory } from './source-sample';
import { SourceSamples } from './source-samples';

/** What a rule needs that is being defined is sampled this long before anybody asks whether it is in use, by the service clock. */
const newSourceMs = 2 * sampleEveryMs;

/** What is retained of the sources that a user's rules look at. All calls throw Unavailable when PostgreSQL does not answer. */
@Injectable()
export class Samples {
  constructor(
    private readonly samples: SourceSamples,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** Before a definition is appended: what it looks at is sampled now, and from now on while a rule uses it. */
  async watch(userId: UserId, { condition }: Pick<AutomationDefinition, 'condition'>): Promise<void> {
    for (const source of sourcesIn(condition, userId)) await this.begin(source);
  }

  /** Has the source sampled at once, unless it is being sampled already. */
  async begin(source: SourceInUse): Promise<void> {
    const now = this.clock.now();
    const keepUntil = instantOf(epochMsOf(now) + newSourceMs);
    if (!(await this.samples.hasTimer(source))) await this.timers.schedule(sourceTimer(source, now, keepUntil));
  }

  /** What was known at an instant, for one look at a condition. Asks no provider. */
  async readings(
    userId: UserId,
    condition: Condition | null,
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

  /** Everything that `readingsAt` needs for looks between two instants. */
  async history(userId: UserId, condition: Condition | null, from: Instant, to: Instant): Promise<SampleHistory> {
    const history: Record<string, readonly Sample[]> = {};
    for (const { name, source } of condition?.bindings ?? []) {
      if (source.kind === 'event') continue;
      const samples = await this.samples.between(keyOf(sourceOf(source, userId)), from, to);
      if (samples.length > 0) history[name] = samples;
    }
    return history;
  }
}
