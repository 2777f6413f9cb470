import {
  boolean,
  instant,
  integer,
  json,
  list,
  mapOf,
  nullable,
  oneOf,
  optional,
  pageMembers,
  shape,
  text,
  type Schema,
  type Shaped,
} from '@app/schema';
import { Member, PageQuery } from '@app/http';

/** Schema of a count or an index. */
export const natural = (description: string): Schema<number> => integer({ min: 0, description });
const sha256 = (description: string) => text({ pattern: /^[0-9a-f]{64}$/, description });

const AuditedEvent = shape('AuditedEvent', {
  seq: integer({ min: 1, description: 'Its place in the stream' }),
  revision: natural('The same, counted from 0'),
  position: natural('Its place in the whole store'),
  id: text(),
  type: text(),
  payload: nullable(mapOf(json()), { description: 'As it is stored; null where that is no JSON object' }),
  metadata: nullable(mapOf(json()), {
    description: 'Who caused it, and under `private` what of the event the partner API shows nobody',
  }),
  dataSha256: sha256('Of the stored bytes of the payload'),
  metadataSha256: sha256('Of those of the metadata'),
});
export type AuditedEvent = Shaped<typeof AuditedEvent>;

const StreamState = shape('StreamState', {
  seq: natural('Of the last event that it comes from; 0 for the state before the first one'),
  state: json({ description: 'As the program that answers folds it to decide' }),
  stoppedAt: nullable(
    natural('The revision of an event that it cannot fold, as one that was altered: the state is the one before'),
    {
      description: 'Null where every event up to the point is folded',
    },
  ),
});
export type StreamState = Shaped<typeof StreamState>;

const StateDifference = shape('StateDifference', {
  path: text({ description: 'A JSON pointer into the state' }),
  before: optional(json({ description: 'At `at`; absent where there is nothing' })),
  after: optional(json({ description: 'At `and`; absent where there is nothing' })),
});

const StreamIntegrity = shape('StreamIntegrity', {
  state: oneOf(['whole', 'tombstoned', 'deleted', 'truncated', 'foreign'], {
    description:
      'Whether events were taken from the stream, or another program wrote into it. Nothing is decided on a stream that is not `whole`',
  }),
  first: nullable(natural('The first revision that can be read'), { description: 'Null where none can' }),
  last: nullable(natural('The last one'), { description: 'Null where none can be read' }),
  missing: nullable(text(), {
    description: 'The revisions that cannot be read, as `0 to 19`, or `all`; null where none is missing',
  }),
  detail: nullable(text(), { description: 'In words; null for a whole stream' }),
});
export type StreamIntegrity = Shaped<typeof StreamIntegrity>;

export const StreamEventPage = shape('StreamEventPage', {
  ...pageMembers(AuditedEvent),
  integrity: StreamIntegrity,
  at: nullable(StreamState, { description: 'Null unless it is asked for' }),
  and: nullable(StreamState, { description: 'Null unless it is asked for' }),
  differences: nullable(list(StateDifference), { description: 'Null unless both are asked for' }),
});
export type StreamEventPage = Shaped<typeof StreamEventPage>;

const VerifyingCheckpoint = shape('VerifyingCheckpoint', {
  size: natural('How many events the log has up to it'),
  root: text({ description: 'Of the tree of so many, in base64' }),
  at: instant(),
  key: text({ description: 'The public key that it is signed by, for comparison with one that you trust' }),
  holds: boolean({ description: 'Whether it is signed so, and the log leads to its root' }),
});

const StreamFault = shape('StreamFault', {
  kind: oneOf(['altered', 'added', 'missing', 'unproven'], {
    description:
      '`altered`: it is not what the log says. `added`: the log says nothing of it. `missing`: the stream does not have it any more. ' +
      '`unproven`: it is what the log says, but that does not lead to the checkpoint',
  }),
  revision: natural('From 0'),
  id: text(),
  type: text(),
  index: nullable(natural('Of its leaf in the log')),
});

export const StreamVerification = shape('StreamVerification', {
  stream: text(),
  checkpoint: nullable(VerifyingCheckpoint, { description: 'The newest one; null as long as there is none' }),
  proven: natural('Events whose stored bytes the log leads from to the root of the checkpoint'),
  pending: natural('Events that are newer than the checkpoint'),
  faulty: natural('Events that are not as the log says'),
  damage: nullable(text(), {
    description: 'What an administrator of the event store did to the stream, in words; null where it is whole',
  }),
  faults: list(StreamFault, { description: 'Those, the oldest first; at most a thousand' }),
});
export type StreamVerification = Shaped<typeof StreamVerification>;

const at = '2026-11-21T09:15:00.000Z';
const id = '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02';
const sample = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const root = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
const key = 'parley/5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11+9b36fc4d+AcAWxZj3XC+mbIIdXIMaVgEN0YTvdgYaDutlUMbwROPi';

export const streamsExamples = {
  at,
  root,
  key,
  stream: 'deployment-main',
  events: {
    data: [
      {
        seq: 1,
        revision: 0,
        position: 7,
        id,
        type: 'control.paused',
        payload: { type: 'control.paused', at, control: 'withdrawals' },
        metadata: { actor: { kind: 'operator', id: 'ada@example.com' }, requestId: 'req-00000001' },
        dataSha256: sample,
        metadataSha256: sample,
      },
    ],
    nextCursor: null,
    integrity: { state: 'whole', first: 0, last: 0, missing: null, detail: null },
    at: { seq: 0, state: { paused: [] }, stoppedAt: null },
    and: { seq: 1, state: { paused: ['withdrawals'] }, stoppedAt: null },
    differences: [{ path: '/paused/0', after: 'withdrawals' }],
  } satisfies StreamEventPage,
  verification: {
    stream: 'deployment-main',
    checkpoint: { size: 31, root, at, key, holds: true },
    proven: 1,
    pending: 0,
    faulty: 0,
    damage: null,
    faults: [],
  } satisfies StreamVerification,
};

const pointLengthMax = 64;
const point = (description: string, example: string) =>
  optional(text({ min: 1, max: pointLengthMax, description, examples: [example] }));

export class ShowEventsDto extends PageQuery {
  @Member(point('A `seq`, or an instant: the state of the stream as of then is answered as well', '1'))
  readonly at?: string;

  @Member(point('A second one: what is different as of then is answered as well', '2026-11-21T09:15:00.000Z'))
  readonly and?: string;
}
