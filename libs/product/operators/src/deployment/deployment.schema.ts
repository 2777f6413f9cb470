import { holdReasons } from '@app/audit';
import { boolean, instant, integer, list, mapOf, nullable, oneOf, shape, text, uuid, type Shaped } from '@app/schema';

/** Number of users listed as holding most of the capacity. */
export const holdersMax = 20;
/** Number of listed processes that hang or ended without a shutdown. */
export const silentMax = 20;

const ControlState = shape('ControlState', {
  control: oneOf(['runs', 'automations', 'withdrawals']),
  paused: boolean(),
  since: nullable(instant()),
  reason: nullable(text()),
});

const CapacityHolder = shape('CapacityHolder', { userId: uuid(), segments: integer({ min: 1 }) });

const Capacity = shape('Capacity', {
  total: integer({ min: 1, description: '`EXECUTION_CAPACITY`: segments that may execute at once' }),
  inUse: nullable(integer({ min: 0 }), { description: 'Null while it cannot be read' }),
  holders: list(CapacityHolder, { max: holdersMax, description: 'The users who hold most of it, the most first' }),
});

const process = { processId: uuid(), api: boolean(), worker: boolean(), startedAt: instant() };

const ServiceProcess = shape('ServiceProcess', {
  ...process,
  heardAt: instant({ description: 'When it last said that it is alive; after 6 s it is silent' }),
  segments: integer({ min: 0, description: 'Run segments that it has the lease of' }),
  leads: list(text(), { description: 'What it alone does at present' }),
  troubles: list(text(), {
    description: 'What it says is wrong, such as `models` while its breaker of the model provider is open',
  }),
});

const SilentProcess = shape('SilentProcess', {
  ...process,
  heardAt: instant({ description: 'When it last said that it is alive' }),
});

const Versions = shape('Versions', {
  product: text(),
  specification: text(),
  schema: text({ description: 'The newest migration that the database has taken' }),
  node: text({ description: 'Of the process that answers' }),
});

const LogHeld = shape('LogHeld', {
  why: oneOf(holdReasons),
  since: nullable(instant(), { description: 'Null where it follows from where the database lies' }),
  says: text({ description: 'What was found' }),
});

const LogState = shape('LogState', {
  origin: nullable(text(), {
    description: 'The name under which the log signs: `parley/` and the id of the deployment',
  }),
  held: nullable(LogHeld, { description: 'Why it signs nothing until `audit resume`; null where it does' }),
});

/** Parts that are left out when they cannot be read. */
const unreadParts = ['capacity', 'processes', 'silent', 'schema', 'log'] as const;
export type UnreadPart = (typeof unreadParts)[number];

const health = oneOf(['ok', 'degraded', 'away']);

export const DeploymentState = shape('DeploymentState', {
  now: instant({ description: 'By the service clock' }),
  controls: list(ControlState),
  capacity: Capacity,
  processes: list(ServiceProcess, { description: 'Those that were heard of in the last 6 s, the oldest first' }),
  silent: list(SilentProcess, {
    max: silentMax,
    description:
      'Those that hang, or ended without a word, in the last hour, the last heard of first. What they led, others lead after 10 s',
  }),
  versions: Versions,
  log: LogState,
  unread: list(oneOf(unreadParts), {
    description: 'What the database does not answer now, such as while a table is locked; it is empty here',
  }),
  status: oneOf(['ok', 'degraded', 'away', 'draining'], {
    description: 'Of the process that answers, as in `/readyz`',
  }),
  parts: mapOf(health, { description: 'The state of each part by its name, as in `/readyz`' }),
});
export type DeploymentState = Shaped<typeof DeploymentState>;

const processId = '019a3c50-0a1b-7c2d-8e3f-4a5b6c7d8e9f';

export const deploymentExample: DeploymentState = {
  now: '2026-11-21T09:15:43.000Z',
  controls: [
    { control: 'runs', paused: false, since: null, reason: null },
    { control: 'automations', paused: false, since: null, reason: null },
    { control: 'withdrawals', paused: true, since: '2026-11-21T09:15:00.000Z', reason: 'the provider has an incident' },
  ],
  capacity: { total: 64, inUse: 1, holders: [{ userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11', segments: 1 }] },
  processes: [
    {
      processId,
      api: true,
      worker: true,
      startedAt: '2026-11-21T08:00:00.000Z',
      heardAt: '2026-11-21T09:15:42.700Z',
      segments: 1,
      leads: ['projector', 'watchdog'],
      troubles: [],
    },
  ],
  silent: [
    {
      processId: '019a3c4f-1c1b-7d2e-9f3a-5b6c7d8e9f01',
      api: false,
      worker: true,
      startedAt: '2026-11-21T07:59:00.000Z',
      heardAt: '2026-11-21T09:10:12.100Z',
    },
  ],
  versions: { product: '0.2.0', specification: '2.0.0', schema: 'WeighRequests1700000000725', node: 'v22.12.0' },
  log: { origin: 'parley/5f3b1c64-0d3a-4c55-8f0e-9d1b7a2c4e60', held: null },
  unread: [],
  status: 'ok',
  parts: { database: 'ok', 'event store': 'ok', projections: 'ok' },
};
