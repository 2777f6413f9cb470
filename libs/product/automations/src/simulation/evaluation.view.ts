import { occurrenceTriggers } from '@app/kernel';
import {
  constant,
  exactly,
  boolean,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  shape,
  text,
  variants,
  type Shaped,
} from '@app/schema';
import { definitionVersion } from '../definition/automation-shapes';
import { conditionBounds, readingStatuses, unresolvedCodes, verdicts } from '../condition/condition';
import type { UnresolvedReason } from '../condition/condition';
import { nameForm } from '../condition/condition.schema';
import { readingBounds, type EvaluationInput, type Fact } from '../condition/readings';
import { firedMax, wouldBes, type UnresolvedCount, type WouldBe } from './simulation';
import { spansMax, type SourceCoverage } from '../sources/source-coverage';

/** Schemas for reports of evaluations: the last one, a test's, and a simulation's. */

const binding = text({ pattern: nameForm, description: 'The name of a binding' });
const sourceId = text({
  min: 1,
  max: readingBounds.sourceIdLengthMax,
  description: '`<kind>:<tokenId>`, or `<kind>:sha256:…` where that is longer; `event`',
});

/** One observation of the last check. */
export const FactShape = exactly<Fact>()(
  shape('Fact', {
    label: text({ max: readingBounds.labelLengthMax }),
    value: text({ max: readingBounds.valueLengthMax }),
    unit: optional(text({ max: 40 })),
    observedAt: nullable(instant(), { description: 'When the value held, as the source says' }),
  }),
);

const Unresolved = exactly<UnresolvedReason>()(
  shape(
    'UnresolvedReason',
    {
      nodePath: list(integer({ min: 0 }), {
        max: conditionBounds.depthMax,
        description: 'Indices from the root of the rule on; empty for the root itself',
      }),
      code: oneOf(unresolvedCodes),
      binding: optional(binding),
    },
    { description: 'Why a part of the rule could not be decided' },
  ),
);

const inputMembers = {
  binding,
  sourceId,
  eventId: text({ min: 1, max: 128, description: 'Names the sample or the event' }),
  receivedAt: instant(),
  maxAgeSeconds: integer({ min: 1, max: conditionBounds.ageSecondsMax }),
  status: oneOf(readingStatuses, { description: '`gap`: no sample where two were due' }),
  reason: nullable(text({ max: 512 }), { description: 'Why it is not ready; null when it is' }),
};

const SnapshotInput = shape('SnapshotInput', {
  ...inputMembers,
  kind: constant('snapshot'),
  sourceTime: instant({ description: 'When the value held, as the source says' }),
});

const ReceivedEventInput = shape('ReceivedEventInput', {
  ...inputMembers,
  kind: constant('received_event'),
  sourceTime: constant(null),
  providerPublishedAt: nullable(instant(), { description: 'When the event happened, as its sender says' }),
});

const Input = exactly<EvaluationInput>()(variants([SnapshotInput, ReceivedEventInput], { by: 'kind' }));

/** The answer of `automations.testCondition`. */
export const ConditionTest = shape('ConditionTest', {
  definitionVersion,
  evaluation: shape('Evaluation', {
    verdict: oneOf(verdicts, {
      description: '`unknown`: an input could not be read; the rule neither fires nor counts as false',
    }),
    evaluatedAt: instant(),
    reasons: list(Unresolved, {
      max: conditionBounds.nodesMax,
      description: 'One a leaf that did not cleanly resolve, in the order of the rule',
    }),
    inputs: list(Input, {
      max: conditionBounds.bindingsMax,
      description: 'What it rested on, without the values; a binding of which nothing is retained is left out',
    }),
  }),
});
export type ConditionTest = Shaped<typeof ConditionTest>;

const count = (description: string) => integer({ min: 0, description });

const WouldBeShape = exactly<WouldBe>()(
  shape('SimulatedFiring', {
    at: instant(),
    wouldBe: oneOf(wouldBes, {
      description: '`cooldown`: too soon after the one before; `limit`: no more occurrences are allowed',
    }),
    trigger: oneOf(occurrenceTriggers),
  }),
);

const UnresolvedCountShape = exactly<UnresolvedCount>()(
  shape('UnresolvedCount', {
    code: oneOf(unresolvedCodes),
    binding: nullable(binding),
    looks: integer({ min: 1, description: 'Looks that had this among their reasons' }),
  }),
);

const Coverage = exactly<SourceCoverage>()(
  shape(
    'SourceCoverage',
    {
      binding,
      sourceId,
      due: count('Samples that should have been taken: one at each whole minute'),
      sampled: count('Those of them that were taken, whatever they say'),
      ready: count('Samples that hold a value'),
      unavailable: count('Samples that say that the source was away'),
      gaps: list(shape('CoverageGap', { from: instant(), to: instant() }), {
        max: spansMax,
        description: 'When nothing could be read: the first of these spans',
      }),
      omittedGaps: count('How many more there are'),
    },
    { description: 'What was retained of one sampled source' },
  ),
);

/** The answer of `automations.simulate` (docs/decisions/automations.md). */
export const Simulation = shape('Simulation', {
  asOf: instant(),
  definitionVersion,
  coverage: list(Coverage, {
    max: conditionBounds.bindingsMax,
    description: 'The samples that the other members were computed from; events are not sampled, and have none',
  }),
  evaluated: count('Looks at the rule; invocations bypass it'),
  matched: count('Looks whose verdict was true'),
  unknown: count('Looks whose verdict was unknown'),
  unresolved: list(UnresolvedCountShape, {
    max: unresolvedCodes.length * conditionBounds.bindingsMax,
    description: 'Why looks were unknown',
  }),
  fired: list(WouldBeShape, { max: firedMax, description: 'Matches, and what would have come of each' }),
  truncated: boolean({ description: 'There was more to look at or to tell' }),
});
export type Simulation = Shaped<typeof Simulation>;
