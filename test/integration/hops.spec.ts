/**
 * The calls of each path to the stores are those in docs/architecture.md ("Hops"): a change that adds a hop fails here.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventBus } from '@nestjs/cqrs';
import { EventFeed, EventSeen } from '@app/event-store';
import { Clock, instantOf } from '@app/kernel';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approve,
  asking,
  confirm,
  conversationOf,
  newOwner,
  partOf,
  prepare,
  prompt,
  say,
  start,
  untilEnded,
  usdc,
} from '@app/testing/journeys';
import { hopsOf, type Hops } from './hops';

/** The time without news after which the consequences of an end are over. */
const quietMs = 300;
const dueInMs = 1_500;

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  await deployment.sandbox('PUT', 'faults', { provider: { ...prompt, settleAfterSeconds: 3_600 } });
  user = await newOwner(deployment);
  // Afterwards everything that is read once per process, user or minute is cached.
  await say(user, await conversationOf(user));
  await quiet();
});
afterAll(() => deployment.stop());

/** Resolves when nothing has been appended, folded or followed for a while. */
async function quiet(): Promise<void> {
  const published = jest.spyOn(EventFeed.prototype, 'publish');
  for (let seen = -1; seen !== published.mock.calls.length;) {
    seen = published.mock.calls.length;
    await sleep(quietMs);
  }
  published.mockRestore();
}

/** Resolves when this process has seen an event of the type. */
async function untilSeen(type: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const subscription = partOf(deployment, EventBus).subscribe((news) => {
      if (!(news instanceof EventSeen) || news.event.type !== type) return;
      subscription.unsubscribe();
      resolve();
    });
  });
}

/** Acts, and resolves once this process has seen an event of the type since then. */
async function seenAfter(type: string, act: () => Promise<unknown>): Promise<void> {
  const seen = untilSeen(type);
  await act();
  await seen;
}

/** The table of the document: its rows by their first cell, each cell a list of words. */
function documented(): ReadonlyMap<string, Hops> {
  const text = readFileSync('docs/architecture.md', 'utf8');
  const section = text.slice(text.indexOf('## Hops'));
  const rows = section.split('\n').filter((line) => line.startsWith('| **'));
  return new Map(
    rows.map((row) => {
      const [, path = '', appends = '', reads = '', statements = ''] = row.split('|').map((cell) => cell.trim());
      const words = (cell: string) => (cell === 'none' ? [] : cell.split(', ').sort());
      return [
        path.replaceAll('*', ''),
        { appends: words(appends), reads: words(reads), statements: words(statements) },
      ];
    }),
  );
}

const hops = documented();
const of = (path: () => Promise<unknown>) =>
  hopsOf(async () => {
    await path();
    await quiet();
  });

it('a run of one step', async () => {
  const id = await conversationOf(user);
  await quiet();
  expect(await of(() => start(user, id, 'repeat after me: ok'))).toEqual(hops.get('run'));
});

it('a step with a call that only looks', async () => {
  const id = await conversationOf(user);
  await quiet();
  const run = () => start(user, id, 'what time is it', { profile: { maxSteps: 1 } });
  expect(await of(run)).toEqual(hops.get('run whose step calls a tool'));
});

it('a denial, and the step after it', async () => {
  const { runId, approval } = await asking(user, await conversationOf(user), 'swap 5 USDC to NEAR');
  await quiet();
  const denied = () => user.post(`/approvals/${approval.id}/deny`, { reason: 'no' });
  expect(await of(() => seenAfter('run.ended', denied))).toEqual(hops.get('denial'));
  await untilEnded(user, runId);
});

it('an approval, until its transfer is with the provider and its run has ended', async () => {
  const { approval } = await asking(user, await conversationOf(user), 'swap 5 USDC to NEAR');
  await quiet();
  expect(await of(() => seenAfter('run.ended', () => approve(user, approval)))).toEqual(hops.get('approved transfer'));
});

it('a confirmed withdrawal, until it is with the provider', async () => {
  const prepared = await prepare(user, usdc, '2500000');
  await quiet();
  expect(await of(() => seenAfter('submission.accepted', () => confirm(user, prepared)))).toEqual(
    hops.get('confirmed withdrawal'),
  );
});

it('a firing, due until its occurrence has finished', async () => {
  const at = instantOf(partOf(deployment, Clock).epochMs() + dueInMs);
  const wake = { kind: 'schedule', schedule: { kind: 'once', at } };
  const firing = { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 };
  const automation = { name: 'once', prompt: 'repeat after me: ok', conversation: 'new', condition: null };
  expect((await user.post('/automations', { ...automation, wake, firing })).status).toBe(201);
  await quiet();
  expect(await of(() => untilSeen('occurrence.finished'))).toEqual(hops.get('firing'));
});
