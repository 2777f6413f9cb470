import { operation, PageQuery, type OperationGroup } from '@app/http';
import { MadeChange, madeExample, reasonedChange } from '../changes/operators.schema';
import {
  DifferencePage,
  ProjectionList,
  projectionsExamples,
  Rebuild,
  RebuildList,
  SkipDto,
  StartedRebuild,
  StartRebuildDto,
  SwitchDto,
} from './projections.schema';

export const projectionsGroup: OperationGroup = {
  name: 'projections',
  description: 'Read models: how far they are, and where they stand still',
};

export const rebuildsGroup: OperationGroup = {
  name: 'rebuilds',
  description: 'Read models that are built again next to the live ones',
};

const projection = { description: 'A read model, by its name', example: 'runs' };
const rebuildId = { description: 'A rebuild', example: projectionsExamples.rebuildId };
const reason = 'a row looks wrong';

export const listProjections = operation('projections.list', {
  route: 'GET /operator/v1/projections',
  scope: 'projections',
  summary: 'List read models, and the events that they passed over',
  answer: ProjectionList,
  examples: { answer: projectionsExamples.list },
});

export const rebuildProjection = operation('projections.rebuild', {
  route: 'POST /operator/v1/projections/:projection/rebuild',
  scope: 'projections',
  status: 202,
  summary: 'Build a read model again next to the live one, and compare the two',
  description:
    'Nothing that is read changes before a switch. One at a time for each read model. `pace` is `gentle` when absent: those that are asked for together are built in one reading of the store, without pauses where one of them is `full`.',
  parameters: { projection },
  body: StartRebuildDto,
  answer: StartedRebuild,
  reasons: ['projection_state'],
  examples: { body: { reason, pace: 'gentle' }, answer: { rebuildId: rebuildId.example } },
});

export const skipEvent = operation('projections.skip', {
  route: 'POST /operator/v1/projections/:projection/skip',
  scope: 'projections',
  summary: 'Pass over the event at which a read model has stopped',
  description:
    'It stays listed, and every table of the read model that is built later passes over it as well. Idempotent.',
  parameters: { projection },
  body: SkipDto,
  answer: MadeChange,
  reasons: ['projection_state'],
  examples: {
    body: {
      stream: 'conversation-019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02',
      revision: 17,
      reason: 'written by a defect that is mended',
    },
    answer: madeExample('projections.skip', projection.example),
  },
});

export const listRebuilds = operation('rebuilds.list', {
  route: 'GET /operator/v1/rebuilds',
  scope: 'projections',
  summary: 'List rebuilds, newest first',
  answer: RebuildList,
  examples: { answer: { data: [projectionsExamples.rebuild] } },
});

export const showRebuild = operation('rebuilds.show', {
  route: 'GET /operator/v1/rebuilds/:rebuildId',
  scope: 'projections',
  summary: 'How far a rebuild is, and how it differs',
  parameters: { rebuildId },
  answer: Rebuild,
  examples: { answer: projectionsExamples.rebuild },
});

export const listDifferences = operation('rebuilds.differences', {
  route: 'GET /operator/v1/rebuilds/:rebuildId/differences',
  scope: 'projections',
  summary: 'What differs between the live table and the rebuilt one, column by column',
  description: 'Of very many, the first are kept; the counts and the digest are of all.',
  parameters: { rebuildId },
  query: PageQuery,
  answer: DifferencePage,
  examples: { answer: projectionsExamples.differences },
});

export const switchRebuild = operation('rebuilds.switch', {
  route: 'POST /operator/v1/rebuilds/:rebuildId/switch',
  scope: 'projections',
  summary: 'Read the rebuilt table from now on',
  description:
    'In one transaction; no request fails or reads anything older. The table of before is followed for an hour, in which it can be rolled back to. Where they differ, the digest of what was seen has to be named. Idempotent.',
  parameters: { rebuildId },
  body: SwitchDto,
  answer: MadeChange,
  reasons: ['projection_state', 'differences_unseen'],
  examples: {
    body: { reason, digest: projectionsExamples.digest },
    answer: madeExample('rebuilds.switch', rebuildId.example),
  },
});

export const rollBackRebuild = operation('rebuilds.rollback', {
  route: 'POST /operator/v1/rebuilds/:rebuildId/rollback',
  scope: 'projections',
  summary: 'Read the table of before again',
  description: 'Within an hour of the switch. Idempotent.',
  parameters: { rebuildId },
  reasons: ['projection_state'],
  ...reasonedChange('rebuilds.rollback', rebuildId.example, reason),
});

export const discardRebuild = operation('rebuilds.discard', {
  route: 'POST /operator/v1/rebuilds/:rebuildId/discard',
  scope: 'projections',
  summary: 'Give up a rebuild that was not switched to',
  description: 'Idempotent.',
  parameters: { rebuildId },
  reasons: ['projection_state'],
  ...reasonedChange('rebuilds.discard', rebuildId.example, reason),
});
