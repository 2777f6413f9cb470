import { CommandBus } from '@nestjs/cqrs';
import { PauseControl, ResumeControl } from '@app/deployment';
import { fingerprintOf } from '@app/canonical';
import { EventStore } from '@app/event-store';
import { away, changed, rowsOf, testCause, twoReplicas, usdc } from '@app/testing/slices';

const stage = twoReplicas();
const { faults, owner, prepare, confirm } = stage;
/** The events of an operation, with their words open. */
const streamOf = (operationId: string) => stage.replica.get(EventStore).readStream(`operation-${operationId}`, 0, 100);
const operations = async () => (await rowsOf(stage.replica, 'financial_operations')).length;

describe('a prepared withdrawal', () => {
  it('is exactly what its user reviews', async () => {
    const pia = await owner('pia');
    const before = stage.replica.clock.nowMs;
    const { status, body } = await prepare(pia);
    expect(status).toBe(200);
    const contract = {
      type: 'ledger_intents_transfer',
      actions: [
        {
          kind: 'withdraw_to_owner',
          input: { pinned: { tokenId: usdc, decimals: 6 } },
          quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
        },
      ],
    };
    const { id: walletId } = (await pia.call(stage.replica, 'GET', '/wallet')).body;
    const expiresAt = new Date(before + 900_000).toISOString();
    const [, opened] = await streamOf(body.operationId);
    const { summary, terms } = opened?.metadata.private ?? {};
    const reviewed = {
      v: 2,
      summary,
      terms,
      approvalId: body.approvalId,
      kind: 'withdrawal',
      userId: pia.userId,
      walletId,
    };
    const input = { tokenId: usdc, amountRaw: '1500000' };
    expect(body).toEqual({
      operationId: body.operationId,
      approvalId: body.approvalId,
      expiresAt,
      contract,
      fingerprint: fingerprintOf({ ...reviewed, tool: 'wallet_withdrawal', input, contract, expiresAt }),
      mainAccountId: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect((await pia.call(stage.other, 'GET', `/financial-operations/${body.operationId}`)).body).toEqual({
      id: body.operationId,
      kind: 'withdrawal',
      status: 'prepared',
      approvalId: body.approvalId,
      contract,
      conversationId: null,
      runId: null,
      automationId: null,
      failure: null,
      settledAt: null,
      actions: [
        {
          index: 0,
          kind: 'withdraw_to_owner',
          status: 'pending',
          input,
          output: null,
          leastOutput: null,
          returned: null,
          providerReference: null,
        },
      ],
      createdAt: new Date(before).toISOString(),
      updatedAt: new Date(before).toISOString(),
    });
    expect(opened?.payload).toEqual({
      type: 'approval.opened',
      at: new Date(before).toISOString(),
      approvalId: body.approvalId,
      kind: 'withdrawal',
      tool: 'wallet_withdrawal',
      fingerprint: body.fingerprint,
      runId: null,
      expiresAt,
    });
    expect(opened?.metadata.private).toMatchObject({
      input,
      contract,
      summary: expect.stringContaining('1.5') as string,
    });
  });

  it('holds nothing', async () => {
    const hal = await owner('hal');
    for (let count = 0; count < 3; count += 1) expect((await prepare(hal, '250000000')).status).toBe(200);
  });

  it.each([
    ['an unknown token', 'nep141:unknown.near', '1', changed('unknown_token')],
    ['more than is held', usdc, '250000001', changed('insufficient_balance')],
    ['an asset that no contract can express', 'nep245:v2_1.omni.hot.tg:1100_sandbox', '1', changed('not_expressible')],
    ['more digits than a contract has', usdc, '1'.repeat(40), changed('insufficient_balance')],
    ['160 digits', usdc, '9'.repeat(160), changed('insufficient_balance')],
  ])('is refused for %s', async (_, tokenId, amountRaw, refusal) => {
    const bea = await owner('bea');
    const before = await operations();
    expect(await prepare(bea, amountRaw, tokenId)).toMatchObject(refusal);
    expect(await operations()).toBe(before);
  });

  it.each([
    ['/amountRaw', { tokenId: usdc, amountRaw: '0' }],
    ['/amountRaw', { tokenId: usdc, amountRaw: '01' }],
    ['/amountRaw', { tokenId: usdc, amountRaw: '9'.repeat(161) }],
    ['/amountRaw', { tokenId: usdc, amountRaw: '1.5' }],
    ['/amountRaw', { tokenId: usdc, amountRaw: '-1' }],
    ['/amountRaw', { tokenId: usdc, amountRaw: 1 }],
    ['/amountRaw', { tokenId: usdc, amountRaw: null }],
    ['/amountRaw', { tokenId: usdc, amountRaw: '1\n' }],
    ['/amountRaw', { tokenId: usdc }],
    ['/tokenId', { tokenId: '', amountRaw: '1' }],
    ['/tokenId', { tokenId: 'a'.repeat(513), amountRaw: '1' }],
    ['/tokenId', { amountRaw: '1' }],
    ['/destination', { tokenId: usdc, amountRaw: '1', destination: 'eve.near' }],
  ])('is a bad request at %s for %j', async (path, body) => {
    const bea = await owner('bea');
    const answered = await bea.call(stage.replica, 'POST', '/wallet/withdrawals', body);
    expect(answered).toMatchObject({ status: 400, body: { reason: 'invalid_input', issues: [{ path }] } });
  });

  it('needs the provider, which must describe the token', async () => {
    const ben = await owner('ben');
    await faults().change({ down: true });
    expect(await prepare(ben)).toMatchObject(away);
    await faults().change({ down: false, undescribed: true });
    expect(await prepare(ben)).toMatchObject(changed('not_expressible'));
  });
});

describe('while withdrawals are paused', () => {
  const change = () => ({ control: 'withdrawals', reason: 'test', cause: testCause() }) as const;
  const pause = () => stage.replica.get(CommandBus).execute(new PauseControl(change()));
  const resume = () => stage.replica.get(CommandBus).execute(new ResumeControl(change()));
  afterAll(resume);

  it('none is prepared or confirmed, and afterwards all goes on', async () => {
    const pam = await owner('pam');
    const prepared = (await prepare(pam)).body;
    await pause();
    const paused = { status: 409, body: { reason: 'deployment_paused', retryable: true } };
    expect(await prepare(pam)).toMatchObject(paused);
    expect(await prepare(pam, '0')).toMatchObject({ status: 400 });
    expect(await confirm(pam, prepared)).toMatchObject(paused);
    expect(await confirm(pam, { ...prepared, fingerprint: 'x' })).toMatchObject(changed('fingerprint'));
    expect((await pam.call(stage.other, 'GET', '/wallet/withdrawals/sources')).status).toBe(200);
    await resume();
    expect((await confirm(pam, prepared)).status).toBe(202);
  });
});
