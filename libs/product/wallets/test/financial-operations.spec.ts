import { setTimeout as sleep } from 'node:timers/promises';
import { walletsReadModel } from '@app/wallets';
import {
  eventsOf,
  replay,
  type Replica,
  rowsOf,
  type Slices,
  startWallets,
  usdc,
  walletOwner,
  type WalletUser,
} from '@app/testing/slices';

/** By the service clock, from acceptance by the provider. */
const settlesAfterMs = 2_000;

let slices: Slices;
let replica: Replica;
let other: Replica;
beforeAll(async () => {
  slices = await startWallets({ settling: true });
  replica = await slices.replica({ projecting: true });
  other = await slices.replica({ projecting: false });
  other.clock.nowMs = replica.clock.nowMs;
});
afterAll(() => slices.stop());

const owner = (subject: string) => walletOwner(slices, replica, subject);
const prepare = (of: WalletUser, amountRaw?: string) => of.prepare(replica, amountRaw);

describe('financial operations', () => {
  interface List {
    readonly data: readonly { readonly id: string; readonly status: string }[];
    readonly nextCursor: string | null;
    readonly total: number;
  }
  const read = async (of: WalletUser, id: string) => (await of.call(other, 'GET', `/financial-operations/${id}`)).body;
  const untilAccepted = (of: WalletUser, id: string) =>
    untilRunning(async () => JSON.stringify(await read(of, id)).includes('providerReference":"'));
  const untilSettled = (of: WalletUser, id: string) =>
    untilRunning(async () => (await read(of, id))['status'] === 'settled');
  const list = (of: WalletUser, query = '') => of.call<List>(other, 'GET', `/financial-operations${query}`);

  it('are listed newest first, by status, page by page', async () => {
    const lia = await owner('lia');
    const made: string[] = [];
    for (let count = 0; count < 3; count += 1) made.unshift((await prepare(lia)).body.operationId);
    const last = (await prepare(lia)).body;
    await lia.confirm(replica, last);
    const all = (await list(lia)).body;
    expect(all).toMatchObject({ total: 4, nextCursor: null });
    expect(all.data.map(({ id }) => id)).toEqual([last.operationId, ...made]);
    const first = (await list(lia, '?status=prepared&limit=2')).body;
    expect(first).toMatchObject({ total: 3, data: [{ id: made[0] }, { id: made[1] }] });
    const cursor = encodeURIComponent(first.nextCursor ?? '');
    expect((await list(lia, `?status=prepared&limit=100&cursor=${cursor}`)).body).toMatchObject({
      total: 3,
      nextCursor: null,
      data: [{ id: made[2] }],
    });
    for (const query of [`?cursor=${cursor}`, `?status=submitted&cursor=${cursor}`, '?status=prepared&cursor=x'])
      expect(await list(lia, query)).toMatchObject({ status: 400, body: { reason: 'invalid_cursor' } });
    for (const query of ['?status=done', '?limit=0', '?limit=101', '?page=1'])
      expect(await list(lia, query)).toMatchObject({ status: 400, body: { reason: 'invalid_input' } });
    expect((await list(lia, '?status=submitted')).body).toMatchObject({ total: 1, data: [{ id: last.operationId }] });
    expect((await list(lia, '?status=settled')).body).toEqual({ total: 0, data: [], nextCursor: null });
    // Finish the operation, so that nothing runs on into the next test.
    await untilAccepted(lia, last.operationId);
    pass(settlesAfterMs);
    await untilSettled(lia, last.operationId);
  });

  it('end settled, by the service’s clock, and only then is the balance less', async () => {
    const sol = await owner('sol');
    const { body } = await prepare(sol);
    expect((await sol.confirm(replica, body)).status).toBe(202);
    const { operationId } = body;
    await untilAccepted(sol, operationId);
    expect(await read(sol, operationId)).toMatchObject({
      status: 'submitted',
      actions: [{ status: 'submitted' }],
      settledAt: null,
    });
    const submittedAtMs = replica.clock.nowMs;
    pass(settlesAfterMs / 2);
    expect(await read(sol, operationId)).toMatchObject({ status: 'submitted' });
    pass(settlesAfterMs / 2);
    await untilSettled(sol, operationId);
    const settled = await read(sol, operationId);
    const settledAt = String(settled['settledAt']);
    expect(Date.parse(settledAt)).toBeGreaterThan(submittedAtMs + settlesAfterMs / 2);
    expect(settled).toMatchObject({ actions: [{ status: 'settled' }], updatedAt: settledAt, failure: null });
    // One operation is read from its stream; the list follows shortly after.
    await until(async () => (await list(sol, '?status=settled')).body.total === 1);
    expect((await list(sol, '?status=settled')).body).toMatchObject({ total: 1, data: [{ settledAt }] });
    expect((await sol.call(other, 'GET', '/wallet/withdrawals/sources')).body).toMatchObject({
      assets: [{ tokenId: usdc, amountRaw: '248500000' }, {}, {}, {}],
    });
    const types = (await eventsOf(replica, [`operation-${operationId}`])).map(({ type }) => type);
    expect(types.slice(3)).toEqual([
      'operation.confirmed',
      'submission.journaled',
      'submission.accepted',
      'action.settled',
      'operation.settled',
    ]);
  });

  it('are their own user’s alone', async () => {
    const [own, foreign] = [await owner('own'), await owner('foreign')];
    const prepared = (await prepare(own)).body;
    const path = `/financial-operations/${prepared.operationId}`;
    expect((await own.call(other, 'GET', path)).status).toBe(200);
    expect(await foreign.call(other, 'GET', path)).toMatchObject({ status: 404 });
    expect(await foreign.call(other, 'GET', '/financial-operations/none')).toMatchObject({ status: 404 });
    expect((await list(foreign)).body.total).toBe(0);
  });

  it('read the same when every event is replayed', async () => {
    // The last operations settled in their streams; wait for their rows, because rows that still change cannot be
    // compared.
    await until(async () => (await rowsOf(replica, 'financial_operations')).every(isAtRest));
    const rows = await rowsOf(replica, 'financial_operations');
    expect(new Set(rows.map((row) => row['status']))).toEqual(new Set(['prepared', 'settled']));
    const streams = rows.map((row) => `operation-${String(row['id'])}`);
    await replay(replica, await eventsOf(replica, streams), ['financial_operations'], walletsReadModel.projections);
  });
});

function pass(milliseconds: number): void {
  for (const { clock } of [replica, other]) clock.nowMs += milliseconds;
}

/**
 * Moves the clock on while waiting, because timers are set ahead of it, by seconds if a dependency was unavailable for
 * a moment.
 */
function untilRunning(reached: () => Promise<boolean>): Promise<void> {
  return until(async () => {
    pass(50);
    return reached();
  });
}

function isAtRest({ status }: Record<string, unknown>): boolean {
  return status !== 'submitted';
}

/** Polls until the background work is done. */
async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await sleep(20); // bounded by the test's timeout
}
