/** Several processes that each believe to lead: there is one log, and no two trees of one size are ever signed. */
import { EventStore, FoldedStates, Streams } from '@app/event-store';
import { Clock } from '@app/kernel';
import { Database } from '@app/read-store';
import { Probe } from '@app/runtime';
import { unlikeTheEvents } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, partOf } from '@app/testing/journeys';
import { Checkpoints } from '../src/signing/checkpoints';
import { LogKeys } from '../src/signing/log-keys';
import { LogBuilder } from '../src/log/log-builder';
import { LogIdentity } from '../src/log/log-identity';
import { LogTables } from '../src/log/log-tables';

const rounds = 30;
const replicas = 3;

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
});
afterAll(() => deployment?.stop());

/** The parts of a leading process, in addition to the deployment's own. */
function leader(): { lead(): Promise<void> } {
  const tables = new LogTables(partOf(deployment, Database));
  const builder = new LogBuilder(partOf(deployment, EventStore), tables, new Probe());
  const checkpoints = new Checkpoints(
    partOf(deployment, Streams),
    partOf(deployment, FoldedStates),
    tables,
    partOf(deployment, LogKeys),
    partOf(deployment, Clock),
    partOf(deployment, LogIdentity),
  );
  return {
    lead: async () => {
      const { place, edge } = await builder.catchUp(new AbortController().signal);
      await checkpoints.make(place, edge);
    },
  };
}

it('is built by all of them at once to what the events say', async () => {
  const user = await deployment.newUser();
  const leaders = Array.from({ length: replicas }, leader);
  let overtaken = 0;
  for (let round = 0; round < rounds; round += 1) {
    await conversationOf(user);
    const tries = await Promise.allSettled(leaders.map((one) => one.lead()));
    overtaken += tries.filter(({ status }) => status === 'rejected').length;
  }
  // They conflict, and each continues from where the others have got to.
  expect(overtaken).toBeGreaterThan(0);
  await leader().lead();
  expect(await unlikeTheEvents(deployment.databaseUrl, deployment.eventStoreUrl)).toEqual([]);
});
