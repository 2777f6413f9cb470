import { asId, type ApprovalId } from '@app/kernel';
import { WithdrawalApprovals } from '@app/wallets';
import {
  away,
  changed,
  eventsOf,
  type Prepared,
  rowsOf,
  testCause,
  twoReplicas,
  usdc,
  type WalletUser,
} from '@app/testing/slices';

const stage = twoReplicas();
const { faults, owner, prepare, confirm } = stage;
const operation = async (of: WalletUser, { operationId }: Pick<Prepared, 'operationId'>) =>
  (await of.call(stage.other, 'GET', `/financial-operations/${operationId}`)).body;
const streamOf = (operationId: string) => eventsOf(stage.replica, [`operation-${operationId}`]);

describe('a confirmation', () => {
  it('is one of fifty at once', async () => {
    const kim = await owner('kim');
    const prepared = (await prepare(kim)).body;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => confirm(kim, prepared, index % 2 ? stage.replica : stage.other)),
    );
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted.map(({ body }) => body)).toEqual([{ operationId: prepared.operationId, status: 'submitted' }]);
    for (const answer of answers.filter(({ status }) => status !== 202))
      expect(answer).toMatchObject(changed('not_prepared'));
    const types = (await streamOf(prepared.operationId)).map(({ type }) => type);
    expect(types).toEqual(['operation.prepared', 'approval.opened', 'approval.decided', 'operation.confirmed']);
    expect(await operation(kim, prepared)).toMatchObject({ status: 'submitted' });
    expect(await rowsOf(stage.replica, 'timers')).toContainEqual(
      expect.objectContaining({ id: `operation/${prepared.operationId}`, kind: 'operation' }),
    );
  });

  it('must name the very fingerprint, and its own operation', async () => {
    const [lou, max] = [await owner('lou'), await owner('max')];
    const [one, two] = [(await prepare(lou)).body, (await prepare(lou)).body];
    expect(await confirm(lou, { ...one, fingerprint: two.fingerprint })).toMatchObject(changed('fingerprint'));
    expect(await confirm(lou, { ...one, fingerprint: '' })).toMatchObject(changed('fingerprint'));
    expect(await confirm(max, one)).toMatchObject({ status: 404 });
    const path = `/wallet/withdrawals/${one.operationId}/confirm`;
    for (const body of [{}, { fingerprint: 1 }, { fingerprint: one.fingerprint, tokenId: usdc }])
      expect(await lou.call(stage.replica, 'POST', path, body)).toMatchObject({ status: 400 });
    expect(await streamOf(one.operationId)).toHaveLength(2);
    expect((await confirm(lou, { ...one, operationId: one.operationId.toUpperCase() })).status).toBe(202);
  });

  it('comes too late at its expiry, which it records', async () => {
    const ned = await owner('ned');
    const prepared = (await prepare(ned)).body;
    stage.replica.clock.nowMs = Date.parse(prepared.expiresAt);
    expect(await confirm(ned, prepared)).toMatchObject(changed('expired'));
    expect(await confirm(ned, prepared)).toMatchObject(changed('expired'));
    expect(await operation(ned, prepared)).toMatchObject({ status: 'expired' });
    expect((await streamOf(prepared.operationId)).map(({ type }) => type)).toEqual([
      'operation.prepared',
      'approval.opened',
      'approval.expired',
    ]);
  });

  it('comes in time a millisecond before', async () => {
    const may = await owner('may');
    const prepared = (await prepare(may)).body;
    stage.replica.clock.nowMs = Date.parse(prepared.expiresAt) - 1;
    expect((await confirm(may, prepared)).status).toBe(202);
  });

  it('comes after a denial for nothing', async () => {
    const dan = await owner('dan');
    const prepared = (await prepare(dan)).body;
    const id = { approvalId: asId<ApprovalId>(prepared.approvalId), streamId: prepared.operationId };
    const verdict = { status: 'denied', denialReason: 'not me' } as const;
    const denied = await stage.replica.get(WithdrawalApprovals).decide(id, verdict, testCause());
    expect(denied).toMatchObject({ ok: true });
    expect(await confirm(dan, prepared)).toMatchObject(changed('not_prepared'));
    expect(await operation(dan, prepared)).toMatchObject({ status: 'denied' });
  });

  it('is refused when the balance no longer covers it', async () => {
    const joy = await owner('joy');
    const [most, all] = [(await prepare(joy, '200000000')).body, (await prepare(joy, '250000000')).body];
    expect((await confirm(joy, most)).status).toBe(202);
    expect(await confirm(joy, all, stage.other)).toMatchObject(changed('insufficient_balance'));
    expect(await operation(joy, all)).toMatchObject({ status: 'prepared' });
  });

  it('is one of two at once that the balance does not cover together', async () => {
    const gus = await owner('gus');
    const both = [(await prepare(gus, '200000000')).body, (await prepare(gus, '200000000')).body];
    const answers = await Promise.all(both.map((prepared) => confirm(gus, prepared)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
  });

  it('needs the provider, and decimals that are as reviewed', async () => {
    const ivy = await owner('ivy');
    const prepared = (await prepare(ivy)).body;
    await faults().change({ down: true });
    expect(await confirm(ivy, prepared)).toMatchObject(away);
    await faults().change({ down: false, undescribed: true });
    expect(await confirm(ivy, prepared)).toMatchObject(changed('not_expressible'));
    await faults().change({ undescribed: false });
    expect((await confirm(ivy, prepared)).status).toBe(202);
  });
});
