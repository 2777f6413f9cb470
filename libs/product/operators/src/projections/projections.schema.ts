import { rebuildPaces, type RebuildPace } from '@app/read-store';
import {
  boolean,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  pageOfShape,
  shape,
  text,
  uuid,
  type Shaped,
} from '@app/schema';
import { Member } from '@app/http';
import { ChangeReason } from '../changes/operators.schema';

const natural = (description?: string) => integer({ min: 0, ...(description !== undefined && { description }) });

const StalledAt = shape('StalledAt', {
  stream: text(),
  revision: natural(),
  error: text({ description: 'Why the event cannot be applied' }),
});

const Projection = shape('Projection', {
  name: text(),
  version: integer({ min: 1, description: 'Of the code that answers' }),
  state: oneOf(['live', 'behind', 'stalled', 'building'], {
    description:
      '`behind`: it has not moved for 5 s although there is more. `stalled`: at an event that it cannot apply. `building`: the first table of this version',
  }),
  position: natural('Of the newest event that it shows; while it is being built, up to which it is'),
  lag: shape('ProjectionLag', {
    positions: natural('Between that and the newest event that it is to show'),
    seconds: natural('For how long it has not moved, where there is more'),
  }),
  eventsPerSecond: natural(
    'Of those that concern it, in the last seconds; while it is being built, of all that are read',
  ),
  stalled: nullable(StalledAt),
});

const SkippedEvent = shape('SkippedEvent', {
  projection: text(),
  stream: text(),
  revision: natural(),
  reason: text({ description: 'Why an operator passed over it' }),
  error: text({ description: 'Why it could not be applied' }),
  skippedAt: instant(),
});

export const ProjectionList = shape('ProjectionList', {
  data: list(Projection),
  skipped: list(SkippedEvent, { description: 'Events that were passed over, the newest first; at most a thousand' }),
});
export type ProjectionList = Shaped<typeof ProjectionList>;

const DifferenceCounts = shape('DifferenceCounts', {
  missing: natural('Rows that only the rebuilt table has'),
  extra: natural('Rows that only the live table has'),
  changed: natural('Rows that both have, otherwise in a column or more'),
  digest: text({
    description: 'SHA-256 of all differences, in hex: names what was seen of them when a switch is asked for',
  }),
});

/** How a rebuild treats requests. */
const rebuildPace = oneOf(rebuildPaces, {
  description:
    '`gentle`: pauses for requests, as far as that leaves it twice the rate at which events are appended. `full`: pauses for nothing',
});

export const Rebuild = shape('Rebuild', {
  rebuildId: uuid(),
  projection: text(),
  version: integer({ min: 1 }),
  state: oneOf(['building', 'catching_up', 'comparing', 'ready', 'switched', 'rolled_back', 'discarded', 'failed']),
  newVersion: boolean({ description: 'Begun by a program whose version had no table; it is switched to by itself' }),
  reason: text(),
  pace: rebuildPace,
  error: nullable(text(), { description: 'Why it failed, or, of one that is ready, why it was not compared' }),
  startedAt: instant(),
  endedAt: nullable(instant()),
  position: natural('Up to which it is built'),
  target: natural(
    'Where the store ends; it moves with what is appended while the table is built. A table that is built is followed past it',
  ),
  eventsPerSecond: natural('Read in the last seconds'),
  etaSeconds: nullable(natural(), {
    description:
      'Until it is at the target, by how fast the distance to it shrinks; null where that is not measured, and where it does not shrink',
  }),
  isNearing: nullable(boolean(), {
    description: '`false`: for half a minute it has not come nearer to the target; null unless it is being built',
  }),
  comparedAt: nullable(natural(), { description: 'The position at which both were compared' }),
  differences: nullable(DifferenceCounts, { description: 'Null before they were compared, and where they cannot be' }),
});
export type Rebuild = Shaped<typeof Rebuild>;

export const RebuildList = shape('RebuildList', {
  data: list(Rebuild, { description: 'The newest first; at most a hundred' }),
});
export type RebuildList = Shaped<typeof RebuildList>;

const Difference = shape('Difference', {
  number: integer({ min: 1 }),
  kind: oneOf(['missing', 'extra', 'changed']),
  key: text({ description: "The row's primary key; of a counter, its name" }),
  column: text(),
  live: nullable(text(), { description: 'As PostgreSQL spells it; null where there is none' }),
  rebuilt: nullable(text()),
});

export const DifferencePage = pageOfShape('Difference', Difference);
export type DifferencePage = Shaped<typeof DifferencePage>;

export const StartedRebuild = shape('StartedRebuild', { rebuildId: uuid() });
export type StartedRebuild = Shaped<typeof StartedRebuild>;

const rebuildId = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e77';
const digest = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const rebuild: Rebuild = {
  rebuildId,
  projection: 'runs',
  version: 4,
  state: 'ready',
  newVersion: false,
  reason: 'a row looks wrong',
  pace: 'gentle',
  error: null,
  startedAt: '2026-11-21T09:15:00.000Z',
  endedAt: null,
  position: 1_204_117,
  target: 1_204_100,
  eventsPerSecond: 21_450,
  etaSeconds: null,
  isNearing: null,
  comparedAt: 1_204_117,
  differences: { missing: 0, extra: 0, changed: 1, digest },
};

export const projectionsExamples = {
  rebuildId,
  digest,
  list: {
    data: [
      {
        name: 'runs',
        version: 4,
        state: 'live',
        position: 1_204_117,
        lag: { positions: 0, seconds: 0 },
        eventsPerSecond: 420,
        stalled: null,
      },
    ],
    skipped: [],
  } satisfies ProjectionList,
  rebuild,
  differences: {
    data: [
      {
        number: 1,
        kind: 'changed',
        key: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02',
        column: 'status',
        live: 'failed',
        rebuilt: 'completed',
      },
    ],
    nextCursor: null,
  } satisfies DifferencePage,
};

/** Names of streams, a category and an id, are shorter. */
const streamLengthMax = 200;

export class SwitchDto extends ChangeReason {
  @Member(
    optional(
      text({
        pattern: /^[0-9a-f]{64}$/,
        message: 'must be the digest of the differences: 64 hexadecimal digits',
        description: 'That of the differences which you have seen; needed where there are any',
        examples: [projectionsExamples.digest],
      }),
    ),
  )
  readonly digest?: string;
}

export class StartRebuildDto extends ChangeReason {
  @Member(optional(rebuildPace))
  readonly pace?: RebuildPace;
}

export class SkipDto extends ChangeReason {
  @Member(
    text({ min: 1, max: streamLengthMax, description: 'The stream of the event at which the read model has stopped' }),
  )
  readonly stream: string;

  @Member(integer({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'The revision of that event' }))
  readonly revision: number;
}
