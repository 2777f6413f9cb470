import { CommandBus } from '@nestjs/cqrs';
import { PauseControl } from '@app/deployment';
import { EventStore, Streams } from '@app/event-store';
import { causeOfRequest, Clock, Unavailable } from '@app/kernel';
import { type OperatorClient, operatorOf } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import { EnableUser } from '@app/users';
import { ChangeDeliveries } from '../src/changes/change-deliveries';
import { expectProblem, partOf, type Listed } from '@app/testing/journeys';
import type { OperatorLogCommand } from '../src/operator-log/operator-log.decider';
import { operatorLogId, operatorLogKind } from '../src/operator-log/operator-log.stream';

let deployment: Deployment;
let operator: OperatorClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', replicas: { api: 2 } });
  operator = await operatorOf(deployment, ['deployment'], { subject: 'ada' });
});
afterAll(() => deployment.stop());

const reason = 'the provider has an incident';
const eventsOf = (stream: string) => partOf(deployment, EventStore).readStream(stream, 0, 1_000);

describe('a change by an operator', () => {
  it('is logged, made, and logged as made; what follows from it names its intent', async () => {
    const user = await deployment.newUser();
    const conversation = await user.post<{ id: string }>('/conversations', {});
    const paused = await operator.post('/deployment/controls/runs/pause', { reason });
    expect(paused).toMatchObject({ status: 200, body: { operation: 'controls.pause', target: 'runs' } });
    const { intentId, at } = paused.body;
    const run = { conversationId: conversation.body.id, input: { text: 'hello' } };
    expectProblem(await user.post('/agent-runs', run), 'deployment_paused');

    const log = await eventsOf('operator-log');
    expect(log.slice(-2)).toMatchObject([
      {
        type: 'operator.intended',
        payload: { intentId, at, operator: 'ada', operation: 'controls.pause', target: 'runs', parameters: {}, reason },
      },
      { type: 'operator.completed', payload: { intentId, outcome: 'done' } },
    ]);
    const [event] = (await eventsOf('deployment-main')).slice(-1);
    expect(event).toMatchObject({
      type: 'deployment.paused',
      payload: { control: 'runs', reason },
      metadata: {
        actor: { kind: 'operator', id: 'ada' },
        $causationId: intentId,
        requestId: paused.headers.get('x-request-id'),
      },
    });
    const resumed = await operator.post('/deployment/controls/runs/resume', { reason: 'over' });
    expect(resumed.status).toBe(200);
    expect((await user.post('/agent-runs', run)).status).toBe(202);
  });

  it('is logged again when it is asked for again, and changes nothing more', async () => {
    const before = (await eventsOf('deployment-main')).length;
    const log = (await eventsOf('operator-log')).length;
    for (let times = 0; times < 2; times += 1)
      expect((await operator.post('/deployment/controls/automations/pause', { reason })).status).toBe(200);
    expect(await eventsOf('deployment-main')).toHaveLength(before + 1);
    expect(await eventsOf('operator-log')).toHaveLength(log + 4);
    await operator.post('/deployment/controls/automations/resume', { reason });
  });

  it('by several at once is made in the order of the log, through whichever replica', async () => {
    const others = await Promise.all(
      [0, 1].map((replica) => operatorOf(deployment, ['deployment'], { subject: `operator-${replica}`, replica })),
    );
    const before = (await eventsOf('operator-log')).length;
    const verbs = ['pause', 'resume'] as const;
    const asked = Array.from({ length: 8 }, (_, turn) =>
      others[turn % 2]!.post(`/deployment/controls/withdrawals/${verbs[turn % 3 === 0 ? 0 : 1]}`, { reason }),
    );
    for (const answer of await Promise.all(asked)) expect(answer.status).toBe(200);
    const log = (await eventsOf('operator-log')).slice(before);
    const intended = log.filter(({ type }) => type === 'operator.intended');
    expect(intended).toHaveLength(8);
    expect(log).toHaveLength(16);
    const [last] = intended.slice(-1);
    const changes = (await eventsOf('deployment-main')).filter(({ payload }) => payload['control'] === 'withdrawals');
    const isPaused = changes.at(-1)?.type === 'deployment.paused';
    expect(isPaused).toBe(last?.payload['operation'] === 'controls.pause');
    expect((await operator.post('/deployment/controls/withdrawals/resume', { reason })).status).toBe(200);
  });

  it('waits for its turn behind one that a crash has cut, which is completed meanwhile', async () => {
    const before = (await eventsOf('deployment-main')).length;
    const at = partOf(deployment, Clock).now();
    const asked = { intentId: '0190a000-0000-7000-8000-000000000001', at, operator: 'eve', requestId: 'cut-request' };
    const cut = { ...asked, operation: 'controls.pause', target: 'runs', parameters: {}, reason };
    // As left by a process that dies right after its append.
    await partOf(deployment, Streams).decide(
      operatorLogKind,
      operatorLogId,
      { type: 'Intend', intent: cut },
      causeOfRequest({ kind: 'operator', id: 'eve' }, 'cut-request'),
    );
    expect((await operator.post('/deployment/controls/runs/resume', { reason })).status).toBe(200);
    expect((await eventsOf('deployment-main')).slice(before)).toMatchObject([
      { type: 'deployment.paused', metadata: { actor: { id: 'eve' }, $causationId: cut.intentId } },
      { type: 'deployment.resumed', metadata: { actor: { id: 'ada' } } },
    ]);
  });

  it('names the earlier one that it waits for, and leaves one that only a newer version knows to that version', async () => {
    const at = partOf(deployment, Clock).now();
    const asked = { intentId: '0190a000-0000-7000-8000-000000000002', at, operator: 'eve', requestId: 'newer' };
    const newer = { ...asked, operation: 'controls.later', target: 'withdrawals', parameters: {}, reason };
    const cause = causeOfRequest({ kind: 'operator', id: 'eve' }, 'newer');
    const decide = (command: OperatorLogCommand) =>
      partOf(deployment, Streams).decide(operatorLogKind, operatorLogId, command, cause);
    await decide({ type: 'Intend', intent: newer });
    const waited = await operator.post('/deployment/controls/withdrawals/resume', { reason });
    const detail = `an earlier change of the same target is not completed: controls.later, intent ${newer.intentId}; this one follows it`;
    expect(waited).toMatchObject({ status: 503, body: { retryable: true, detail } });
    await decide({ type: 'Complete', at, intentId: newer.intentId, outcome: 'done' });
    // Follows the one that was answered with 503.
    expect((await operator.post('/deployment/controls/withdrawals/resume', { reason })).status).toBe(200);
  });

  it('that fails by a fault of ours is logged as failed, and holds up no later one', async () => {
    const { execute } = CommandBus.prototype;
    const failing = jest.spyOn(CommandBus.prototype, 'execute').mockImplementation(function (
      this: CommandBus,
      command,
    ) {
      return command instanceof PauseControl ? Promise.reject(new TypeError('a fault')) : execute.call(this, command);
    });
    const failed = await operator.post('/deployment/controls/withdrawals/pause', { reason });
    failing.mockRestore();
    expect(failed.status).toBe(500);
    expect((await eventsOf('operator-log')).slice(-2)).toMatchObject([
      { type: 'operator.intended', payload: { operation: 'controls.pause' } },
      { type: 'operator.completed', payload: { outcome: 'failed' } },
    ]);
    expect((await operator.post('/deployment/controls/withdrawals/pause', { reason })).status).toBe(200);
    expect((await operator.post('/deployment/controls/withdrawals/resume', { reason })).status).toBe(200);
  });

  it('that stops something waits for no stuck one of the same target, unless the order decides', async () => {
    const users = await operatorOf(deployment, ['users'], { subject: 'ada' });
    const user = await deployment.newUser();

    const stuck = stick((command) => command instanceof EnableUser);
    const enabled = users.post(`/users/${user.userId}/enable`, { reason });
    await until('a stuck change', () => Promise.resolve(stuck.count() > 0 ? true : null));
    const frozen = await users.post(`/users/${user.userId}/freeze`, { reason });
    expect(frozen.status).toBe(200);
    const disabling = users.post(`/users/${user.userId}/disable`, { reason });
    stuck.release();
    expect((await enabled).status).toBe(503);
    expect(await disabling).toMatchObject({ status: 200 });
    expect((await eventsOf(`user-${user.userId}`)).at(-1)?.type).toBe('user.disabled');
  });

  it('is completed by the watchdog however many others of their own targets are stuck', async () => {
    const stuck = stick((command) => command instanceof ChangeDeliveries);
    const at = partOf(deployment, Clock).now();
    const cause = causeOfRequest({ kind: 'operator', id: 'eve' }, 'cut');
    const intentIdOf = (number: number) => `0190a000-0000-7000-8000-0000000001${String(number).padStart(2, '0')}`;
    const intend = (number: number, operation: string, target: string) => {
      const intentId = intentIdOf(number);
      const asked = { intentId, at, operator: 'eve', requestId: 'cut', operation, target, parameters: {}, reason };
      return partOf(deployment, Streams).decide(
        operatorLogKind,
        operatorLogId,
        { type: 'Intend', intent: asked },
        cause,
      );
    };
    for (let number = 0; number < 10; number += 1) await intend(number, 'webhooks.test', `endpoint-${number}`);
    await intend(20, 'controls.pause', 'automations');
    await intend(21, 'controls.resume', 'runs');
    const isDone = async (number: number) =>
      (await eventsOf('operator-log')).some(
        ({ type, payload }) => type === 'operator.completed' && payload['intentId'] === intentIdOf(number),
      );
    await until('the others', async () => ((await isDone(20)) && (await isDone(21)) ? true : null));
    expect(stuck.count()).toBe(3);
    stuck.release();
    const areDone = () => Promise.all(Array.from({ length: 10 }, (_, number) => isDone(number)));
    await until('the released', async () => ((await areDone()).every(Boolean) ? true : null));
    expect((await operator.post('/deployment/controls/automations/resume', { reason })).status).toBe(200);
  });

  it('is listed, newest first, a page at a time', async () => {
    expect((await operator.post('/deployment/controls/runs/resume', { reason })).status).toBe(200);
    const entries: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { body: Listed } = await operator.get(`/log?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      entries.push(...page.body.data);
      cursor = page.body.nextCursor;
    }
    const log = await eventsOf('operator-log');
    expect(entries.map(({ seq }) => seq)).toEqual(log.map(({ revision }) => revision + 1).reverse());
    expect(entries[0]).toMatchObject({ type: 'operator.completed', outcome: 'done', operator: null, reason: null });
    expect(entries[1]).toMatchObject({ type: 'operator.intended', outcome: null, operator: 'ada', reason });
    const { body } = await operator.get<Listed>('/log?limit=1');
    const stranger = await operatorOf(deployment, ['deployment'], { subject: 'eve' });
    expectProblem(await stranger.get(`/log?cursor=${body.nextCursor}`), 'invalid_cursor');
    expectProblem(await operator.get('/log?cursor=x'), 'invalid_cursor');
  });
});

/** Holds up commands until they are released, and then has them fail as where a store is away. */
function stick(which: (command: unknown) => boolean) {
  const { execute } = CommandBus.prototype;
  const held: ((error: Error) => void)[] = [];
  const spy = jest.spyOn(CommandBus.prototype, 'execute').mockImplementation(function (this: CommandBus, command) {
    if (!which(command)) return execute.call(this, command);
    return new Promise((_, reject) => held.push(reject));
  });
  return {
    count: () => held.length,
    release: () => {
      spy.mockRestore();
      for (const reject of held) reject(new Unavailable('service'));
    },
  };
}
