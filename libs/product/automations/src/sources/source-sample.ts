import { epochMsOf, instantOf, type Instant, type JsonValue } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';
import type { Condition, Reading, Readings } from '../condition/condition';
import type { InboundEvent } from '../inputs/input.stream';
import { sourceIdOf } from '../condition/readings';

/** Sources are sampled on the whole minutes of the service clock. */
export const sampleEveryMs = 60_000;
/** Beyond this age two samples were due and are not there: that is a gap. */
export const gapAfterMs = 2 * sampleEveryMs;
/** The namespace of the names of samples. */
const sampleNamespace = '2f1c3a52-7a0c-4a67-9c38-0d0f7d5f7f61';
const missed = 'The service did not sample this source for a while.';

/** What a source said at an instant, or that it said nothing. */
export interface Sample {
  readonly at: Instant;
  readonly status: Reading['status'];
  /** Null unless ready. */
  readonly value: JsonValue;
  /** Null when ready. */
  readonly reason: string | null;
}

/** Samples of each binding's source, oldest first, from the last one at or before the beginning on; a binding without any is absent. */
export type SampleHistory = { readonly [binding: string]: readonly Sample[] | undefined };

/**
 * What was known of a condition's sources at an instant: of each the last sample at or before it, which is a gap when it is older
 * than 120 s. A live look and a simulation read in this one way.
 *
 * @param event what is delivered to the rule, and when it was received; null where it is looked at for another reason
 */
export function readingsAt(
  condition: Condition | null,
  history: SampleHistory,
  at: Instant,
  delivered: { readonly event: InboundEvent; readonly receivedAt: Instant } | null,
): Readings {
  const readings: Record<string, Reading> = {};
  for (const { name, source } of condition?.bindings ?? []) {
    if (source.kind === 'event') {
      if (delivered !== null) readings[name] = ofEvent(delivered.event, delivered.receivedAt);
      continue;
    }
    const sample = lastAt(history[name] ?? [], at);
    if (sample !== null) readings[name] = ofSample(sourceIdOf(source), sample, at);
  }
  return readings;
}

/** The record that stands for what was missed after a sample. It says in the table what its age says without it. */
export function gapAfter(last: Instant): Sample {
  return { at: instantOf(epochMsOf(last) + gapAfterMs + 1), status: 'gap', value: null, reason: missed };
}

/** The last instant of the grid that is not after the given one. */
export function gridInstant(at: Instant): Instant {
  const epochMs = epochMsOf(at);
  return instantOf(epochMs - (((epochMs % sampleEveryMs) + sampleEveryMs) % sampleEveryMs));
}

/** The first instant of the grid after the given one. */
export function nextGridInstant(after: Instant): Instant {
  return instantOf(epochMsOf(gridInstant(after)) + sampleEveryMs);
}

function ofEvent(event: InboundEvent, receivedAt: Instant): Reading {
  return {
    kind: 'received_event',
    sourceId: 'event',
    eventId: event.id,
    receivedAt,
    status: 'ready',
    reason: null,
    sourceTime: null,
    providerPublishedAt: event.occurredAt,
    value: { ...event },
  };
}

function ofSample(sourceId: string, sample: Sample, at: Instant): Reading {
  const eventId = uuidV5(`${sourceId}@${sample.at}`, sampleNamespace);
  const known = { kind: 'snapshot', sourceId, eventId, receivedAt: sample.at, providerPublishedAt: null } as const;
  if (epochMsOf(at) - epochMsOf(sample.at) > gapAfterMs) {
    return { ...known, status: 'gap', reason: missed, sourceTime: sample.at, value: null };
  }
  const { status, reason, value } = sample;
  return { ...known, status, reason, sourceTime: sample.at, value };
}

/** By halving: a simulation asks thousands of times. */
function lastAt(samples: readonly Sample[], at: Instant): Sample | null {
  let from = 0;
  let to = samples.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((samples[middle]?.at ?? at) <= at) from = middle + 1;
    else to = middle;
  }
  return samples[from - 1] ?? null;
}
