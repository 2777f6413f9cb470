/** Reliability 3 and 4: all races of two apis and two workers on one deployment, and its books after them. */
import { auditJournal, auditOperations, settled, unbalanced, unlikeAReplay, openedEvents } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { identicalDecisions } from './confirms';
import { staying } from './places';
import { begin, type Races } from './races';
import { racesForApprovals } from './races-approvals';
import { racesForCaps } from './races-caps';
import { racesForRuns } from './races-runs';
import { cutReaders } from './races-stream';

const TIMEOUT_MS = 600_000;
const unlimited = { BUDGET_DAY_CENTS: '100000000', BUDGET_MONTH_CENTS: '100000000', EXECUTION_CAPACITY: '1000' };
const prompt = { provider: { settleAfterSeconds: 0 }, model: { delayMs: 0 } };

let deployment: Deployment;
beforeAll(async () => {
  const env = { ...unlimited, STREAMS_PER_USER: '100' };
  deployment = await startDeployment({ mode: 'processes', replicas: { api: 2, worker: 2 }, env });
});
afterAll(() => deployment.stop(), 60_000);

const withFaults = (faults: object) => (): Promise<Races> => begin(deployment, faults);

describe('readers whose connections break', () => cutReaders(withFaults({})));
describe('the same start, run and abort', () => racesForRuns(withFaults({})));
describe('the cap of a budget', () => racesForCaps(withFaults(staying)));
describe('identical decisions', () => identicalDecisions(withFaults(prompt)));
describe('one approval', () => racesForApprovals(withFaults(prompt)));

test(
  'after all of it nothing is lost, doubled or stuck, and the books balance',
  async () => {
    const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
    const unlike = await unlikeAReplay(deployment.databaseUrl, events);
    const money = [...(await unbalanced(deployment.databaseUrl)), ...auditOperations(events, [])];
    const audit = auditJournal(await openedEvents(deployment.databaseUrl, events), [], []);
    process.stdout.write(
      `reliability 3 and 4: ${events.length} events of all races: ${audit.doubled.length} doubled, ${audit.stuck.length} stuck, ` +
        `${money.length} transfers doubled, lost or stuck\n`,
    );
    const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [], unlike: [], money: [] };
    expect({ ...audit, left, unlike, money }).toEqual(nothing);
  },
  TIMEOUT_MS,
);
