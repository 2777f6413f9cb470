import {
  instant,
  integer,
  list,
  nullable,
  oneOf,
  pageOfShape,
  shape,
  text,
  uuid,
  type Shaped,
  orErased,
} from '@app/schema';
import { natural, streamsExamples } from '../streams/streams.schema';

const Cosignature = shape('Cosignature', {
  key: text({ description: 'The public key of the witness' }),
  line: text({ description: 'Its line under the note' }),
});

const LogCheckpoint = shape('LogCheckpoint', {
  at: instant(),
  size: natural('How many events the log has up to it'),
  root: text({ description: 'Of the tree of so many, in base64' }),
  position: natural('Of the last of them'),
  key: nullable(text(), { description: 'The public key that signed it; null as long as it is decided only' }),
  note: nullable(text(), { description: 'As it is served, with the lines of its witnesses' }),
  witnesses: list(Cosignature, { description: 'In the order in which they signed' }),
});
export type LogCheckpoint = Shaped<typeof LogCheckpoint>;

export const LogCheckpointPage = pageOfShape('LogCheckpoint', LogCheckpoint);
export type LogCheckpointPage = Shaped<typeof LogCheckpointPage>;

const UnresolvedOperation = shape('UnresolvedOperation', {
  operationId: uuid(),
  userId: uuid(),
  kind: text({ description: 'As `financialOperations.get` says' }),
  status: oneOf(['submitted', 'unresolved']),
  subject: orErased(nullable(text(), { description: 'The `sub` of its user, by which their partner knows them' })),
  action: natural('The action that is in flight, from 0'),
  actions: integer({ min: 1, description: 'How many it has' }),
  tokenId: nullable(text(), { description: 'What that action takes; null where it follows from an earlier one' }),
  amountRaw: nullable(text(), { description: 'How much, in the smallest unit; null where it is not chosen yet' }),
  providerReference: nullable(text(), {
    description: 'By which the provider knows it; null before it has accepted it',
  }),
  createdAt: instant(),
  updatedAt: instant({ description: 'Of its last event' }),
});
export type UnresolvedOperation = Shaped<typeof UnresolvedOperation>;

export const UnresolvedOperationPage = pageOfShape('UnresolvedOperation', UnresolvedOperation);
export type UnresolvedOperationPage = Shaped<typeof UnresolvedOperationPage>;

const { at, root, key } = streamsExamples;

export const auditExamples = {
  checkpoints: {
    data: [
      {
        at,
        size: 31,
        root,
        position: 32,
        key,
        note: `parley/5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11\n31\n${root}\n\n`,
        witnesses: [],
      },
    ],
    nextCursor: null,
  } satisfies LogCheckpointPage,
  unresolved: {
    data: [
      {
        operationId: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05',
        userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
        kind: 'withdrawal',
        status: 'unresolved',
        subject: 'user-4711',
        action: 0,
        actions: 1,
        tokenId: 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1',
        amountRaw: '1500000',
        providerReference: '8Jq1kQv3',
        createdAt: at,
        updatedAt: at,
      },
    ],
    nextCursor: null,
  } satisfies UnresolvedOperationPage,
};
