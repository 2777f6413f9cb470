import { RunFailure } from '@app/conversations';
import { instant, integer, nullable, oneOf, optional, pageOfShape, shape, uuid, type Shaped } from '@app/schema';
import { Member, PageQuery } from '@app/http';

export const runFilters = ['stuck', 'live', 'failed', 'ended'] as const;
export type RunFilter = (typeof runFilters)[number];

export const OperatedRun = shape('OperatedRun', {
  runKey: uuid({ description: 'Its id inside the deployment' }),
  runId: uuid({ description: "Its id in its user's eyes" }),
  userId: uuid(),
  conversationId: uuid(),
  automationId: nullable(uuid()),
  status: oneOf(['waiting', 'queued', 'running', 'awaiting_approval', 'stopping', 'completed', 'failed', 'aborted']),
  segment: integer({ min: 1, description: 'One more at each continuation after approvals' }),
  workerId: nullable(uuid(), { description: 'The process that has its lease, also one that has run out' }),
  leaseUntil: nullable(instant(), { description: 'Until when; by the clock of the database' }),
  failure: nullable(RunFailure),
  createdAt: instant(),
  startedAt: nullable(instant(), { description: 'When a worker first took it' }),
  endedAt: nullable(instant()),
});
export type OperatedRun = Shaped<typeof OperatedRun>;

export const OperatedRunPage = pageOfShape('OperatedRun', OperatedRun);
export type OperatedRunPage = Shaped<typeof OperatedRunPage>;

const run: OperatedRun = {
  runKey: '6f1d5c1e-8a30-5f4e-9b7c-2d1e0f9a8b7c',
  runId: '019a3c5f-2b44-7c19-8d03-6e1f4a9b7c02',
  userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
  conversationId: '019a3c5e-8f10-7a31-9c42-1b7d5e2f6a01',
  automationId: null,
  status: 'running',
  segment: 1,
  workerId: '019a3c50-0a1b-7c2d-8e3f-4a5b6c7d8e9f',
  leaseUntil: '2026-11-21T09:15:47.118Z',
  failure: null,
  createdAt: '2026-11-21T09:15:42.090Z',
  startedAt: '2026-11-21T09:15:42.118Z',
  endedAt: null,
};

export const runsExamples = { run, page: { data: [run], nextCursor: null } satisfies OperatedRunPage };

const userId = '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11';

export class ListOperatedRunsDto extends PageQuery {
  @Member(
    optional(
      oneOf(runFilters, {
        description:
          '`live`: it has a holder, or waits for one. `stuck`: live, and no worker has held it for ten seconds. `failed`: it ended so. `ended`: however it ended, with `user` only. When absent all of the user, or those that are live',
        examples: ['live'],
      }),
    ),
  )
  readonly state?: RunFilter;

  @Member(optional(uuid({ description: 'Of this user; of all users when absent', examples: [userId] })))
  readonly user?: string;
}

export class ShowRunDto {
  @Member(
    optional(
      uuid({
        description: 'The user whose run it is: then the id in the path is the one by which the user knows it',
        examples: [userId],
      }),
    ),
  )
  readonly user?: string;
}
