import { epochMsOf, instantOf, type Instant } from '@app/kernel';
import type { SampledSource, StoredCondition } from '../condition/condition';
import { sourceIdOf } from '../condition/readings';
import { gapAfterMs, sampleEveryMs, type Sample, type SampleHistory } from './source-sample';

/** Maximum number of spans that one source's coverage lists; the others are counted. */
export const spansMax = 50;

export interface Span {
  /** The source could not be read from here on: two samples were due and missing, or there never was one. */
  readonly from: Instant;
  readonly to: Instant;
}

/** Statistics of one sampled source of a condition, between two instants. */
export interface SourceCoverage {
  readonly binding: string;
  readonly sourceId: string;
  /** The number of whole minutes of the service clock. */
  readonly due: number;
  /** Whole minutes that have a sample, whatever it holds; a record of a gap does not count. */
  readonly sampled: number;
  /** Samples at any instant that have a value. */
  readonly ready: number;
  /** Samples that record an unavailable source. */
  readonly unavailable: number;
  /** The first 50. */
  readonly gaps: readonly Span[];
  readonly omittedGaps: number;
}

/** Coverage of each binding of a sampled source, in their order; events are not sampled. Excludes `from`, includes `to`. */
export function coverageOf(
  condition: StoredCondition | null,
  history: SampleHistory,
  from: Instant,
  to: Instant,
): readonly SourceCoverage[] {
  return (condition?.bindings ?? []).flatMap(({ name, source }) =>
    source.kind === 'event' ? [] : [ofSource(name, source, history[name] ?? [], from, to)],
  );
}

function ofSource(
  binding: string,
  source: SampledSource,
  samples: readonly Sample[],
  from: Instant,
  to: Instant,
): SourceCoverage {
  const within = samples.filter(({ at }) => at > from && at <= to);
  const gaps = gapsIn(samples, from, to);
  return {
    binding,
    sourceId: sourceIdOf(source),
    due: Math.floor(epochMsOf(to) / sampleEveryMs) - Math.floor(epochMsOf(from) / sampleEveryMs),
    sampled: within.filter(({ at, status }) => status !== 'gap' && epochMsOf(at) % sampleEveryMs === 0).length,
    ready: within.filter(({ status }) => status === 'ready').length,
    unavailable: within.filter(({ status }) => status === 'unavailable').length,
    gaps: gaps.slice(0, spansMax),
    omittedGaps: Math.max(0, gaps.length - spansMax),
  };
}

/**
 * Spans from the end of one sample's validity to the next sample. A record of a gap is ignored, because the age of the
 * sample before it shows the gap.
 */
function gapsIn(samples: readonly Sample[], from: Instant, to: Instant): readonly Span[] {
  const gaps: Span[] = [];
  let readableUntil = from;
  for (const { at, status } of samples) {
    if (status === 'gap') continue;
    if (at > readableUntil) gaps.push({ from: readableUntil, to: at });
    const until = instantOf(epochMsOf(at) + gapAfterMs);
    if (until > readableUntil) readableUntil = until;
  }
  if (readableUntil < to) gaps.push({ from: readableUntil, to });
  return gaps;
}
