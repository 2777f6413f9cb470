/**
 * A direct withdrawal: prepared, confirmed and settled, and everything that must be refused instead
 * (docs/decisions/money.md).
 */
import { CommandBus } from '@nestjs/cqrs';
import { PauseControl, ResumeControl } from '@app/deployment';
import type { WithdrawalChange } from '@app/kernel';
import { auditMoney } from '@app/testing/audits';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  anInstant,
  approvalOf,
  byOperator,
  confirm,
  ether,
  expectProblem,
  holdings,
  indescribable,
  leavesNoTrace,
  type Listed,
  missingId,
  moveClock,
  newOwner,
  partOf,
  prepare,
  prompt,
  providerFault,
  untilOperation,
  usdc,
  wrappedNear,
} from '@app/testing/journeys';
import { pendingApproval, preparedAnswer, preparedOperation } from './withdrawal-views';

let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
});
beforeEach(async () => {
  await providerFault(deployment, prompt);
  user = await newOwner(deployment);
});
afterAll(() => deployment.stop());

const twentyMinutes = 1_200;
const ask = (tokenId: unknown, amountRaw: unknown) => user.post('/wallet/withdrawals', { tokenId, amountRaw });
const refused = <Value>(call: () => Promise<Value>) => leavesNoTrace(deployment, user, call);

describe('a direct withdrawal', () => {
  it('is reviewed, confirmed once and settled', async () => {
    const asked = await prepare(user, usdc, '1500000');
    expect(asked).toEqual(preparedAnswer('1500000'));
    const operation = await untilOperation(user, asked.operationId, 'prepared');
    expect(operation).toMatchObject(preparedOperation(asked, '1500000'));
    expect(await approvalOf(user, asked.approvalId)).toMatchObject(pendingApproval(asked, '1500000'));
    expect((await holdings(user))[usdc]).toBe('250000000');

    const confirmed = await confirm(user, asked);
    expect([confirmed.status, confirmed.body]).toEqual([202, { operationId: asked.operationId, status: 'submitted' }]);
    expect(await approvalOf(user, asked.approvalId)).toMatchObject({ status: 'approved', decidedBy: 'user' });
    expect(await untilOperation(user, asked.operationId)).toMatchObject({
      status: 'settled',
      settledAt: anInstant,
      failure: null,
      actions: [{ status: 'settled', input: { tokenId: usdc, amountRaw: '1500000' } }],
    });
    expect((await holdings(user))[usdc]).toBe('248500000');
    expectProblem(await refused(() => confirm(user, asked)), 'withdrawal_changed', { change: 'not_prepared' });
    expectProblem(await refused(() => user.post(`/approvals/${asked.approvalId}/deny`)), 'approval_not_pending');
  });

  it('takes the whole of an asset, of eighteen and of twenty-four decimals', async () => {
    for (const [tokenId, amountRaw] of [
      [ether, '50000000000000000'],
      [wrappedNear, '40000000000000000000000000'],
    ] as const) {
      const asked = await prepare(user, tokenId, amountRaw);
      expect((await confirm(user, asked)).status).toBe(202);
      expect(await untilOperation(user, asked.operationId)).toMatchObject({ status: 'settled' });
    }
    expect(await holdings(user)).toEqual({ [usdc]: '250000000', [indescribable]: '1000' });
  });

  it('can be denied like any approval, but not approved like one', async () => {
    const asked = await prepare(user, usdc, '1');
    const path = `/approvals/${asked.approvalId}`;
    const approved = await refused(() => user.post(`${path}/approve`, { fingerprint: asked.fingerprint }));
    expectProblem(approved, 'approval_not_pending');
    expect((await user.post(`${path}/deny`, { reason: 'no' })).body).toEqual({ decided: true });
    expect(await untilOperation(user, asked.operationId)).toMatchObject({ status: 'denied' });
    expect(await approvalOf(user, asked.approvalId)).toMatchObject({ status: 'denied', denialReason: 'no' });
    expectProblem(await refused(() => confirm(user, asked)), 'withdrawal_changed', { change: 'not_prepared' });
  });

  it('expires when nobody confirms it, and can only be prepared again', async () => {
    const asked = await prepare(user, usdc, '1');
    await moveClock(deployment, twentyMinutes);
    expect(await untilOperation(user, asked.operationId)).toMatchObject({ status: 'expired' });
    expect(await approvalOf(user, asked.approvalId)).toMatchObject({ status: 'expired', endedReason: 'timeout' });
    expectProblem(await refused(() => confirm(user, asked)), 'withdrawal_changed', { change: 'expired' });
    expectProblem(await refused(() => user.post(`/approvals/${asked.approvalId}/deny`)), 'approval_not_pending');
    expect((await prepare(user, usdc, '1')).operationId).not.toBe(asked.operationId);
  });

  it('holds nothing before it is confirmed, and then what it takes', async () => {
    await providerFault(deployment, { settleAfterSeconds: 3_600 });
    const [one, other] = [await prepare(user, usdc, '200000000'), await prepare(user, usdc, '100000000')];
    expect((await confirm(user, one)).status).toBe(202);
    expect((await holdings(user))[usdc]).toBe('50000000');
    expectProblem(await confirm(user, other), 'withdrawal_changed', { change: 'insufficient_balance' });
    expectProblem(await ask(usdc, '50000001'), 'withdrawal_changed');
    await moveClock(deployment, 3_601);
    expect(await untilOperation(user, one.operationId)).toMatchObject({ status: 'settled' });
    expect((await holdings(user))[usdc]).toBe('50000000');
    expect(await untilOperation(user, other.operationId)).toMatchObject({ status: 'expired' });
  });
});

describe('preparing is refused, and leaves no trace', () => {
  it('withdrawal_changed: an unknown token, more than the balance, or what no contract can express', () =>
    refused(async () => {
      const changed = (change: WithdrawalChange) => ['withdrawal_changed', { change }] as const;
      expectProblem(await ask('nep141:nobody.near', '1'), ...changed('unknown_token'));
      expectProblem(await ask('USDC', '1'), ...changed('unknown_token'));
      expectProblem(await ask(usdc, '250000001'), ...changed('insufficient_balance'));
      expectProblem(await ask(usdc, '9'.repeat(160)), ...changed('insufficient_balance'));
      expectProblem(await ask(indescribable, '1'), ...changed('not_expressible'));
    }));

  it('invalid_input: zero, leading zeros, 161 digits, fractions, and anything but a text of digits', () =>
    refused(async () => {
      const wrong = [
        '0',
        '00',
        '01',
        '1'.repeat(161),
        '1.5',
        '-1',
        '+1',
        '1e6',
        ' 1',
        '１',
        '',
        1_500_000,
        null,
        ['1'],
      ];
      for (const amountRaw of wrong) expectProblem(await ask(usdc, amountRaw), 'invalid_input', { at: ['/amountRaw'] });
      for (const tokenId of ['', 'x'.repeat(513), null, 1]) {
        expectProblem(await ask(tokenId, '1'), 'invalid_input', { at: ['/tokenId'] });
      }
      expectProblem(await user.post('/wallet/withdrawals'), 'invalid_input');
    }));

  it('before the first ensure: 404, whatever is asked', async () => {
    const nobody = await deployment.newUser();
    expectProblem(await nobody.get('/wallet'), 'not_found');
    expectProblem(await nobody.get('/wallet/withdrawals/sources'), 'not_found');
    expectProblem(await nobody.post('/wallet/withdrawals', { tokenId: usdc, amountRaw: '0' }), 'not_found');
  });
});

describe('confirming is refused, and leaves no trace', () => {
  it('with any other fingerprint', async () => {
    const [asked, other] = [await prepare(user, usdc, '1'), await prepare(user, usdc, '1')];
    const stranger = await newOwner(deployment);
    await refused(async () => {
      for (const fingerprint of [other.fingerprint, '', 'sha256:', asked.fingerprint.toUpperCase()]) {
        expectProblem(await confirm(user, { ...asked, fingerprint }), 'withdrawal_changed', { change: 'fingerprint' });
      }
      const nothing = await user.post(`/wallet/withdrawals/${asked.operationId}/confirm`, {});
      expectProblem(nothing, 'invalid_input', { at: ['/fingerprint'] });
      expectProblem(await confirm(user, { ...asked, operationId: missingId }), 'not_found');
      expectProblem(await confirm(stranger, asked), 'not_found');
    });
  });

  it('when the balance went meanwhile', async () => {
    const [one, other] = [await prepare(user, usdc, '250000000'), await prepare(user, usdc, '1')];
    expect((await confirm(user, one)).status).toBe(202);
    await untilOperation(user, one.operationId);
    expectProblem(await refused(() => confirm(user, other)), 'withdrawal_changed', { change: 'insufficient_balance' });
  });

  it('while withdrawals are paused', async () => {
    const asked = await prepare(user, usdc, '1');
    const control = { control: 'withdrawals', ...byOperator(user) } as const;
    await partOf(deployment, CommandBus).execute(new PauseControl(control));
    try {
      expectProblem(await refused(() => confirm(user, asked)), 'deployment_paused');
      expectProblem(await refused(() => ask(usdc, '1')), 'deployment_paused');
    } finally {
      await partOf(deployment, CommandBus).execute(new ResumeControl(control));
    }
    expect((await confirm(user, asked)).status).toBe(202);
    await untilOperation(user, asked.operationId);
  });

  it('while the provider is away: it may be asked again', async () => {
    const asked = await prepare(user, usdc, '1');
    await providerFault(deployment, { down: true });
    expectProblem(await confirm(user, asked), 'provider_unavailable');
    expectProblem(await ask(usdc, '1'), 'provider_unavailable');
    expectProblem(await user.get('/wallet/withdrawals/sources'), 'provider_unavailable');
    await providerFault(deployment, prompt);
    expect(await untilOperation(user, asked.operationId, 'prepared')).toMatchObject({ status: 'prepared' });
    expect((await confirm(user, asked)).status).toBe(202);
    await untilOperation(user, asked.operationId);
  });

  it('while the wallet’s session is rejected; the owner reconnects', async () => {
    const asked = await prepare(user, usdc, '1');
    await providerFault(deployment, { sessionRejected: true });
    const rejected = { change: 'authorization_required' } as const;
    expectProblem(await confirm(user, asked), 'withdrawal_changed', rejected);
    expect((await user.get('/wallet')).body).toMatchObject({ status: 'active', authStatus: 'authorization_required' });
    expectProblem(await ask(usdc, '1'), 'withdrawal_changed', rejected);
    expectProblem(await user.get('/wallet/withdrawals/sources'), 'withdrawal_changed', rejected);
    const { status, body } = await user.post('/wallet');
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'active', authStatus: 'ready' })]);
    expect((await confirm(user, asked)).status).toBe(202);
    expect(await untilOperation(user, asked.operationId)).toMatchObject({ status: 'settled' });
  });
});

it('lists operations newest first, by status, page by page', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) ids.unshift((await prepare(user, usdc, '1')).operationId);
  const list = (query: string) => user.get<Listed<{ id: string }>>(`/financial-operations${query}`);
  const all = (await list('')).body;
  expect([all.data.map(({ id }) => id), all.nextCursor, all.total]).toEqual([ids, null, 3]);
  const first = (await list('?limit=2&status=prepared')).body;
  expect([first.data.map(({ id }) => id), first.total]).toEqual([ids.slice(0, 2), 3]);
  const rest = (await list(`?limit=2&status=prepared&cursor=${first.nextCursor}`)).body;
  expect([rest.data.map(({ id }) => id), rest.nextCursor]).toEqual([ids.slice(2), null]);
  expectProblem(await list(`?status=settled&cursor=${first.nextCursor}`), 'invalid_cursor');
  expect((await list('?status=settled')).body).toEqual({ data: [], nextCursor: null, total: 0 });
});

it('keeps books that balance', async () => {
  expect(await auditMoney(deployment)).toEqual([]);
});
