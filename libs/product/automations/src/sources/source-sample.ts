import { epochMsOf, instantOf, type Instant, type JsonValue } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';
import type { Reading, Readings, StoredCondition } from '../condition/condition';
import type { InboundEvent } from '../inputs/input.stream';
import { sourceIdOf } from '../condition/readings';

/** Sources are sampled on the whole minutes of the service clock. */
export const sampleEveryMs = 60_000;
/** A sample older than this is a gap: two later ones were due and are missing. */
export const gapAfterMs = 2 * sampleEveryMs;
/** The UUID namespace of sample ids. */
const sampleNamespace = '2f1c3a52-7a0c-4a67-9c38-0d0f7d5f7f61';
const missed = 'The service did not sample this source for a while.';

/** A source's value at an instant, or a record that it had none. */
export interface Sample {
  readonly at: Instant;
  readonly status: Reading['status'];
  /** Null unless ready. */
  readonly value: JsonValue;
  /** Null when ready. */
  readonly reason: string | null;
}

/** Samples of each binding's source, oldest first, beginning with the last one at or before the start; a binding without any is absent. */
export type SampleHistory = { readonly [binding: string]: readonly Sample[] | undefined };

/**
 * The readings of a condition's sources at an instant: the last sample at or before it, which is a gap when it is older
 * than 120 s. Live evaluation and simulation share this function.
 *
 * @param delivered the event for the rule, and when it was received; null where none caused the evaluation
 */
export function readingsAt(
  condition: StoredCondition | null,
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

/** The record of the gap after a sample. It stores in the table what the sample's age shows anyway. */
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

/** A binary search, because a simulation calls it thousands of times. */
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
