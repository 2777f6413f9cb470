/**
 * Issue 5, item 5: the worker is killed around calls that a contract covers; each use is counted exactly once and
 * executed exactly once.
 */
import { randomUUID } from 'node:crypto';
import type { StoredEvent } from '@app/event-store';
import type { ProbePoint } from '@app/runtime';
import {
  answered,
  type Automation,
  automationOf,
  type Listed,
  newOwner,
  type Occurrence,
  prompt,
  providerFault,
  trustedAutomation,
} from '@app/testing/journeys';
import type { Deployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { auditJournal, settled, unbalanced, openedEvents } from '@app/testing/audits';
import { untilGoneOnce } from './gone-once';
import type { KillOrders } from './kill-orders';
import { killInTurn } from './kill-rounds';
import { startKillable, type Killable } from './killable';
import { layoutsTried, PatientClient, spread } from './layouts';

const full = process.env['FIGURES'] === 'full';
const ROUNDS = Number(process.env['AUTHORITY_KILL_ROUNDS'] ?? (full ? Infinity : 2));
const TIMEOUT_MS = full ? 3_600_000 : 300_000;
/** Longer than a lost worker's lease, a restart and a busy machine need together. */
const doneWithinMs = 180_000;
const points: readonly ProbePoint[] = ['append:before', 'append:after', 'tool:before', 'provider:before'];

/** A user who has allowed an automation to swap 10 USDC. */
interface Trusting {
  readonly user: TestClient;
  readonly automation: Automation;
}

/** Deviations from exactly one use for each approval that a contract has given, and one operation for each of those. */
function auditUses(events: readonly StoredEvent[]): string[] {
  const of = (type: string) => events.filter((event) => event.type === type).map(({ payload }) => payload);
  const decided = of('approval.decided').filter(({ decidedBy }) => decidedBy === 'automation_contract');
  const ids = (payloads: readonly StoredEvent['payload'][]) =>
    payloads.map(({ approvalId }) => JSON.stringify(approvalId)).sort();
  const [uses, given, used] = [ids(of('contract.used')), ids(decided), ids(of('operation.used'))];
  const findings = uses.filter((id, index) => uses[index - 1] === id).map((id) => `${id} was counted twice`);
  if (uses.join() !== given.join()) findings.push(`${uses.length} uses, ${given.length} approvals by contract`);
  if (given.join() !== used.join()) findings.push(`${given.length} approvals by contract, ${used.length} operations`);
  return findings;
}

describe.each(layoutsTried('apart, over two replicas'))('roles %s', (layout) => {
  let killable: Killable;
  let orders: KillOrders;
  let deployment: Deployment;
  let turn = 0;
  beforeAll(async () => {
    killable = await startKillable({ ...spread(layout, 'worker'), env: { BUDGET_DAY_CENTS: '100000' } });
    ({ deployment, orders } = killable);
    await providerFault(deployment, prompt);
  });
  afterAll(() => killable.stop());

  async function trusting(): Promise<Trusting> {
    const user = await newOwner(deployment);
    turn += 1;
    return { user: PatientClient.of(deployment, user, turn), automation: await trustedAutomation(user) };
  }

  /** Invokes the automation, whose run must end without asking for approval. */
  async function fire({ user, automation }: Trusting): Promise<void> {
    const { revision } = await automationOf(user, automation.id);
    const asked = { revision, idempotencyKey: randomUUID() };
    await answered(() => user.post(`/automations/${automation.id}/invoke`, asked));
    const look = async () => {
      const list = () =>
        user.get<Listed<Occurrence> & Record<string, unknown>>(`/automations/${automation.id}/occurrences`);
      const [occurrence] = (await answered(list)).body.data;
      if (occurrence?.runId == null) return null;
      const run = await answered(() => user.get(`/agent-runs/${occurrence.runId}`), { orStatus: 404 });
      return ['completed', 'failed', 'awaiting_approval'].includes(String(run.body['status'])) ? run.body : null;
    };
    expect(await until('the end of the run', look, doneWithinMs)).toMatchObject({ status: 'completed', segment: 1 });
    await untilGoneOnce(user, '240000000');
  }

  test(
    'each use is counted once, and done once',
    async () => {
      const ordered = await killInTurn(
        { orders, victims: deployment.workers, points, roundsMax: ROUNDS, full },
        async () => {
          const one = await trusting();
          return () => fire(one);
        },
      );
      const { events, left } = await settled(deployment.databaseUrl, deployment.eventStoreUrl);
      const kills = await orders.carriedOut();
      const findings = auditUses(events);
      const uses = events.filter(({ type }) => type === 'contract.used').length;
      process.stdout.write(
        `authority kills, roles ${layout}: ${kills.length} at ${[...new Set(kills)].join(', ')}; ${uses} uses of contracts, ${findings.length} amiss\n`,
      );
      expect(findings).toEqual([]);
      expect(uses).toBe(ordered + 1);
      const nothing = { lost: [], doubled: [], stuck: [], gaps: [], books: [], left: [] };
      expect({ ...auditJournal(await openedEvents(deployment.databaseUrl, events), [], []), left }).toEqual(nothing);
      expect(await unbalanced(deployment.databaseUrl)).toEqual([]);
      // A busy worker commits fewer, larger batches, so not every order is reached; without any, nothing was tried.
      expect(kills.length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
