/** `parley trigger` against a sandbox as `npm start` runs it: each scenario once. */
import { noticeTypes, type NoticeType } from '@app/notices';
import { until } from '@app/testing/until';
import { jsonOf } from './cli';
import { TriggerStage, type Scenario, type Triggered } from './trigger-stage';

const eachWithinMs = 90_000;

let stage: TriggerStage;
let alongside: ReadonlyMap<string, readonly string[]>;

beforeAll(async () => {
  stage = await TriggerStage.start();
  const { data } = jsonOf<{ data: Scenario[] }>(await stage.run('trigger', '--list', '--json'));
  expect(data.map(({ type }) => type)).toEqual(noticeTypes);
  alongside = new Map(data.map((each) => [each.type, each.alongside]));
}, 120_000);
afterAll(() => stage?.sandbox.stop());

describe('parley trigger', () => {
  const users = new Map<NoticeType, string>();

  it.each(noticeTypes)(
    '%s is told, for a user of its own, and nothing that its line in the list does not name',
    async (type) => {
      const { data } = jsonOf<{ data: Triggered[] }>(await stage.run('trigger', type, '--json'));
      const [made] = data;
      if (made === undefined || data.length > 1) throw new Error(`made: ${JSON.stringify(data)}`);
      expect(made).toMatchObject({ type, subject: expect.stringMatching(/^parley-trigger-/) as string });
      expect([...users.values()]).not.toContain(made.userId);
      users.set(type, made.userId);
      const told = await stage.feedOf(made.userId);
      expect(told.slice(0, made.events.length)).toEqual(made.events);
      expect(made.events.filter((event) => event.type === type)).toHaveLength(1);
      expect(told.filter((event) => event.type === type)).toHaveLength(1);
      expect([type, ...(alongside.get(type) ?? [])]).toEqual(
        expect.arrayContaining([...new Set(told.map((event) => event.type))]),
      );
    },
    eachWithinMs,
  );

  it('leaves nothing that goes on by itself', async () => {
    const archived = new Map<string, number>();
    for (const [type, userId] of users) {
      if (type === 'user.disabled' || type === 'user.erased') continue;
      await until('the end of its runs', async () => ((await stage.actingFor(userId)).liveRuns === 0 ? true : null));
      const acting = await stage.actingFor(userId);
      expect(acting.automations).toBe(0);
      archived.set(type, acting.archived);
    }
    expect([...archived].flatMap(([type, count]) => (count > 0 ? [type] : []))).toEqual([
      'automation.triggered',
      'automation.rejected',
      'automation.completed',
    ]);
  });

  it('touches the wallet of nobody else, and no fault', async () => {
    const faults = await stage.lever('GET', 'faults');
    expect((await stage.run('trigger', 'wallet.authorization_required')).code).toBe(0);
    expect(await stage.lever('GET', 'faults')).toEqual(faults);
    expect((await stage.sandbox.client.get('/wallet/withdrawals/sources')).status).toBe(200);
  });

  it('says in two lines what was done and what came of it', async () => {
    const { code, stdout, stderr } = await stage.run('trigger', 'user.disabled', 'approval.opened', 'user.disabled');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toEqual([
      expect.stringMatching(/^user\.disabled: An operator disables a user\. \(parley-trigger-[0-9a-f-]{36}\)$/),
      expect.stringMatching(/^ {2}\S+Z {2}user\.disabled {18}[0-9a-f-]{36} {2}\{"userId":"[0-9a-f-]{36}"\}$/),
      expect.stringMatching(/^approval\.opened: A run asks to withdraw 1\.5 USDC\./),
      expect.stringMatching(/^ {2}\S+Z {2}approval\.opened .*"approvalId"/),
      expect.stringMatching(/^ {2}besides: run\.suspended [0-9a-f-]{36}$/),
    ]);
  });

  it('makes one of each with --all', async () => {
    const { data } = jsonOf<{ data: Triggered[] }>(await stage.run('trigger', '--all', '--json'));
    expect(data.map(({ type }) => type)).toEqual(noticeTypes);
    expect(new Set(data.map(({ userId }) => userId)).size).toBe(noticeTypes.length);
  }, 120_000);
});
