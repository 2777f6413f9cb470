/** The ways in which waiting parts of a process are woken: each alone, and none at all (docs/architecture.md, "The bus of a process"). */
import { EventBus } from '@nestjs/cqrs';
import { EventSeen } from '@app/event-store';
import { Notifications } from '@app/read-store';
import { RunLeases, stopChannel } from '@app/runs';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approve,
  asking,
  conversationOf,
  newOwner,
  partOf,
  prompt,
  say,
  startLongRun,
  untilEnded,
  untilStatus,
} from '@app/testing/journeys';

let deployment: Deployment;
let user: TestClient;
beforeEach(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 10 } });
  user = await newOwner(deployment);
});
afterEach(async () => {
  jest.restoreAllMocks();
  await deployment.stop();
});

/** Makes one run that ends, one that is resumed, and one that is stopped. */
async function runsOfAllKinds(): Promise<void> {
  expect(await say(user, await conversationOf(user))).toMatchObject({ status: 'completed' });
  const { runId, approval } = await asking(user, await conversationOf(user), 'swap 5 USDC to NEAR');
  expect((await approve(user, approval)).status).toBe(200);
  expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed', segment: 2 });
  const long = await startLongRun(user, await conversationOf(user));
  await untilStatus(user, long, 'running');
  expect((await user.post(`/agent-runs/${long}/abort`)).body).toEqual({ aborted: true });
  expect((await user.get(`/agent-runs/${long}`)).body).toMatchObject({ status: 'aborted' });
}

it('everything ends where nothing is published', async () => {
  const bus = partOf(deployment, EventBus);
  const [published, carried]: [object[], object[]] = [[], []];
  bus.subscribe((news) => carried.push(news));
  bus.publisher = { publish: (news: object) => void published.push(news) };
  await runsOfAllKinds();
  expect(published.some((news) => news instanceof EventSeen && news.event.type === 'run.stopping')).toBe(true);
  expect(carried).toEqual([]);
});

it('a process executes what it starts and resumes, and stops it, before a look or a notification tells its worker', async () => {
  const leases = partOf(deployment, RunLeases);
  jest.spyOn(leases, 'claim').mockResolvedValue([]);
  jest.spyOn(leases, 'renew').mockResolvedValue({ stopping: [], retaken: [], lost: [] });
  partOf(deployment, Notifications)['listeners'].delete(stopChannel);
  await runsOfAllKinds();
});
