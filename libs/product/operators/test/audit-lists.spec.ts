/**
 * The auditors' lists (docs/decisions/operators.md): checkpoints of the log, and operations whose outcome is still
 * unknown.
 */
import { checkpointsKind } from '@app/audit';
import { FoldedStates } from '@app/event-store';
import { parseCheckpoint, parseNote } from '@app/transparency';
import { type OperatorClient, operatorOf } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { confirm, newOwner, partOf, prepare, prompt, providerFault, sql, usdc } from '@app/testing/journeys';
import { until } from '@app/testing/until';

let deployment: Deployment;
let auditor: OperatorClient;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'error' } });
  auditor = await operatorOf(deployment, ['audit', 'users']);
});
afterAll(() => deployment?.stop());

it('lists every checkpoint, newest first, as it was signed', async () => {
  interface Listed {
    readonly size: number;
    readonly note: string | null;
  }
  const list = async () => {
    const found: Listed[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await auditor.get<{ data: Listed[]; nextCursor: string | null }>(`/checkpoints?limit=1${query}`);
      found.push(...body.data);
      cursor = body.nextCursor;
    }
    return found;
  };
  // Each access is an event, which a further checkpoint may cover.
  const found = await until('some checkpoints', async () => {
    await sql(deployment, `SELECT pg_notify('parley_checkpoint_wanted', '')`);
    const listed = await list();
    return listed.length > 1 && listed.every(({ note }) => note !== null) ? listed : null;
  });
  const { state } = await partOf(deployment, FoldedStates).fresh(checkpointsKind, 'checkpoints');
  const signed = state.signed.map(({ size }) => size);
  const sizes = found.map(({ size }) => size);
  expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
  expect(signed).toEqual(expect.arrayContaining(sizes.slice(0, 8)));
  for (const { size, note } of found)
    expect([size, parseCheckpoint(parseNote(note ?? '')?.text ?? '')?.size]).toEqual([size, size]);
});

it('lists the money operations whose end nobody knows, of all users', async () => {
  const list = async () =>
    (await auditor.get<{ data: { operationId: string; providerReference: string | null }[] }>('/unresolved')).body.data;
  expect(await list()).toEqual([]);
  const user = await newOwner(deployment);
  await providerFault(deployment, { ...prompt, settleAfterSeconds: 3_600 });
  const prepared = await prepare(user, usdc, '1');
  expect((await confirm(user, prepared)).status).toBeLessThan(300);
  const [operation] = await until('the submission', async () => {
    const found = await list();
    return found.length > 0 ? found : null;
  });
  expect(operation).toMatchObject({ operationId: prepared.operationId, userId: user.userId, status: 'submitted' });
  const { body } = await auditor.get<{ account: { subject: string } }>(`/users/${user.userId}`);
  expect(operation).toMatchObject({
    subject: body.account.subject,
    tokenId: usdc,
    amountRaw: '1',
    action: 0,
    actions: 1,
  });
  await until('what the provider calls it', async () => {
    const [found] = await list();
    return typeof found?.providerReference === 'string' ? found : null;
  });
});
