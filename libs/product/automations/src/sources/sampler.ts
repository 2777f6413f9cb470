import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, type Instant, type UserId } from '@app/kernel';
import { Timers, type Timer } from '@app/timers';
import { LRUCache } from 'lru-cache';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredCondition } from '../condition/condition';
import { AskSource } from './ask-source';
import { Samples } from './samples';
import { keyOf, readSource, sourceOf, sourceTimer, type SourceInUse } from './source-key';
import { gapAfter, gapAfterMs, gridInstant, nextGridInstant, type Sample, type SampleHistory } from './source-sample';
import { SourceSamples } from './source-samples';

/** How long samples are kept (docs/decisions/automations.md). */
const keptMs = 8 * 86_400_000;
/** Cached samples, bounded by count because each is a few short texts, so that all evaluations of a minute read each sample once. */
const seenMax = 4_096;
/** Attempts to find an instant without a sample. */
const freshInstantTries = 20;

/**
 * Samples the sources in use: once each for the whole deployment, on the whole minutes of the service clock, and at
 * once when one starts to be used or a sandbox price is pinned. If the provider does not answer, the sample says so.
 * All methods throw Unavailable when PostgreSQL does not answer.
 */
@Injectable()
export class Sampler {
  /** Samples that this process is taking or took lately, by source and instant: concurrent evaluations share one request. */
  private readonly taken = new LRUCache<string, Promise<Sample | null>>({ max: seenMax });

  constructor(
    private readonly samples: SourceSamples,
    private readonly watched: Samples,
    private readonly sources: AskSource,
    private readonly timers: Timers,
    private readonly clock: Clock,
  ) {}

  /** Takes a sample, at the present moment, of every source in use for the token. */
  async priceChanged(tokenId: string): Promise<void> {
    for (const source of await this.samples.aboutToken(tokenId)) await this.sampleNow(source);
  }

  /**
   * The samples for an evaluation of a rule: the last one of each binding at or before the instant. A sample due at
   * that very instant counts, even if its timer runs later, so that a later simulation sees the same. Missed samples
   * are not made up for.
   */
  async look(userId: UserId, condition: StoredCondition | null, at: Instant): Promise<SampleHistory> {
    const found = (condition?.bindings ?? []).map(async ({ name, source }): Promise<[string, readonly Sample[]]> => {
      if (source.kind === 'event') return [name, []];
      const sample = await this.sampleAt(sourceOf(source, userId), at);
      return [name, sample === null ? [] : [sample]];
    });
    return Object.fromEntries(await Promise.all(found));
  }

  /** Handles a timer of this module: takes the due sample, and schedules the next one as long as the source is in use. */
  async handle({ dueAt, payload }: Timer): Promise<void> {
    const source = readSource(payload);
    const keepUntil = typeof payload['keepUntil'] === 'string' ? payload['keepUntil'] : '';
    const now = this.clock.now();
    if (keepUntil < now && !(await this.samples.isInUse(source))) return;
    const due = gridInstant(now);
    await this.takeOnce(source, dueAt > due ? dueAt : due);
    await this.timers.schedule(sourceTimer(source, nextGridInstant(now), keepUntil));
  }

  /** Schedules timers that a crash of PostgreSQL lost, and deletes samples that are too old. */
  async sweep(): Promise<void> {
    for (const source of await this.samples.withoutTimer()) await this.watched.begin(source);
    await this.samples.prune(instantOf(this.clock.epochMs() - keptMs));
  }

  private async sampleNow(source: SourceInUse): Promise<void> {
    const key = keyOf(source);
    const answer = await this.sources.ask(source);
    for (let tries = 0; tries < freshInstantTries; tries += 1) {
      if (await this.samples.keep(key, { at: this.clock.now(), ...answer })) return;
      await sleep(1);
    }
    throw new Error(`${key} has a sample of every moment`);
  }

  private async sampleAt(source: SourceInUse, at: Instant): Promise<Sample | null> {
    const due = gridInstant(at);
    const isPresent = due === gridInstant(this.clock.now());
    const taken = isPresent ? await this.takeOnce(source, due) : null;
    return taken !== null && due === at ? taken : this.samples.last(keyOf(source), at);
  }

  private async takeOnce(source: SourceInUse, at: Instant): Promise<Sample | null> {
    const name = `${keyOf(source)}@${at}`;
    const taken = this.taken.get(name) ?? this.sample(source, at);
    this.taken.set(name, taken);
    try {
      return await taken;
    } catch (error) {
      this.taken.delete(name);
      throw error;
    }
  }

  /** The sample of that instant, taken now unless it exists. */
  private async sample(source: SourceInUse, at: Instant): Promise<Sample | null> {
    const key = keyOf(source);
    const last = await this.samples.last(key, at);
    if (last?.at === at) return last;
    if (last !== null && last.status !== 'gap' && epochMsOf(at) - epochMsOf(last.at) > gapAfterMs + 1) {
      await this.samples.keep(key, gapAfter(last.at));
    }
    const sample = { at, ...(await this.sources.ask(source)) };
    // Another process may have taken it first.
    return (await this.samples.keep(key, sample)) ? sample : this.samples.last(key, at);
  }
}
