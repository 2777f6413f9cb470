/**
 * Tools that know the user: examples/tools, started as its README says, is called by automations at night and by no one else, and does
 * nothing twice.
 */
import { createPublicKey, generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SignJWT, UnsecuredJWT, type JWTPayload } from 'jose';
import type { TestClient } from '@app/testing/client';
import { requestJson } from '@app/testing/client';
import {
  approve,
  asking,
  conversationOf,
  eventsOf,
  pendingOf,
  start,
  untilEnded,
  untilFired,
} from '@app/testing/journeys';
import { defined, occurrencesOf } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { listedIn, ordersOf, startToolsBeside, type ToolsBeside } from './tools-example';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const daySeconds = 86_400;
const awayMs = 8_000;

let beside: ToolsBeside;
beforeAll(async () => {
  beside = await startToolsBeside(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
}, 180_000);
afterAll(() => beside.stop());

/** Defines an automation for which the rules model calls a tool every night at two. */
function nightly(user: TestClient, call: string) {
  return defined(user, {
    prompt: `call ${call}`,
    profile: { model: 'parley/rules', tools: [call.split(' ')[0]] },
    wake: { kind: 'schedule', schedule: { kind: 'cron', expression: '0 2 * * *', timezone: 'Europe/Berlin' } },
  });
}

describe('an automation at night', () => {
  it('sees the orders of its own user, and no other', async () => {
    const users = await Promise.all([beside.newUser(), beside.newUser()]);
    const rules = await Promise.all(users.map((user) => nightly(user, 'orders_list_orders {}')));
    await beside.advance(daySeconds);
    const listed = await Promise.all(
      users.map(async (user, index) => {
        const { run, conversationId } = await untilFired(user, rules[index]?.id ?? '', 1);
        expect(run).toMatchObject({ status: 'completed', origin: 'automation' });
        return listedIn(user, conversationId);
      }),
    );
    const [one = [], other = []] = listed.map((orders) => orders.map(({ id }) => id));
    expect([one.length, other.length, new Set([...one, ...other]).size]).toEqual([3, 3, 6]);
    // By day, and after the clock was moved, the orders are the same.
    const [first] = users;
    expect((await ordersOf(first)).map(({ id }) => id)).toEqual(one);
  });

  it('asks before it cancels, in the words of the operator, and cancels what was approved', async () => {
    const user = await beside.newUser();
    const [{ id: orderId } = { id: '' }] = await ordersOf(user);
    const rule = await nightly(user, `orders_cancel_order {"orderId": "${orderId}"}`);
    await beside.advance(daySeconds);
    const look = async () => (await occurrencesOf(user, rule.id)).find(({ delivery }) => delivery === 'accepted');
    const { runId } = await until('the night', look);
    const approval = await pendingOf(user, String(runId));
    expect(approval).toMatchObject({
      tool: 'orders_cancel_order',
      input: { orderId },
      summary: `Cancel order “${orderId}”.`,
      terms: [
        { name: 'what', text: `Cancel order “${orderId}”.` },
        { name: 'how often', text: 'Once' },
      ],
    });
    expect((await ordersOf(user)).map(({ status }) => status)).toEqual(['open', 'open', 'open']);
    expect((await approve(user, approval)).status).toBe(200);
    expect(await untilEnded(user, String(runId))).toMatchObject({ status: 'completed' });
    expect((await ordersOf(user)).map(({ status }) => status)).toEqual(['cancelled', 'open', 'open']);
  });
});

it('shows how far the invoices are while they are written', async () => {
  const user = await beside.newUser();
  const conversationId = await conversationOf(user);
  const reader = await user.stream(`/conversations/${conversationId}/stream`);
  const { body } = await start(user, conversationId, 'call orders_write_invoices {}');
  expect(await untilEnded(user, body.runId)).toMatchObject({ status: 'completed' });
  await reader.untilEvent('run.ended');
  const shown = reader.frames.filter(({ event }) => event === 'agent.tool_progress').map(({ data }) => data.payload);
  expect(shown).toMatchObject(
    ['A pair of socks', 'A teapot', 'Three lemons'].map((what, index) => ({
      toolCallId: `${body.runId}/1/0`,
      progress: index + 1,
      total: 3,
      message: `Invoice for ${what}`,
    })),
  );
  await reader.close();
  expect(await eventsOf(user, conversationId, 'tool.returned')).toMatchObject([
    { outcome: 'ok', result: { text: '3 invoices are written.' } },
  ]);
});

describe("another user's order", () => {
  it('is none, whatever the input says', async () => {
    const [user, other] = await Promise.all([beside.newUser(), beside.newUser()]);
    const [{ id: orderId } = { id: '' }] = await ordersOf(other);
    const conversationId = await conversationOf(user);
    const call = `call orders_cancel_order {"orderId": "${orderId}", "userId": "${other.userId}", "sub": "${other.userId}"}`;
    const { runId, approval } = await asking(user, conversationId, call);
    expect((await approve(user, approval)).status).toBe(200);
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(user, conversationId, 'tool.returned')).toMatchObject([
      { result: { text: 'There is no such order.' } },
    ]);
    expect((await ordersOf(other)).map(({ status }) => status)).toEqual(['open', 'open', 'open']);
  });
});

describe('an order is cancelled once', () => {
  /** Requests the cancellation of the first order, and approves it. */
  async function cancelling(user: TestClient) {
    const [{ id: orderId } = { id: '' }] = await ordersOf(user);
    const conversationId = await conversationOf(user);
    const { runId, approval } = await asking(
      user,
      conversationId,
      `call orders_cancel_order {"orderId": "${orderId}"}`,
    );
    return { orderId, conversationId, runId, approve: () => approve(user, approval) };
  }

  async function expectOnce(
    user: TestClient,
    { orderId, conversationId, runId }: Awaited<ReturnType<typeof cancelling>>,
  ) {
    expect(await untilEnded(user, runId)).toMatchObject({ status: 'completed' });
    expect(await eventsOf(user, conversationId, 'tool.returned')).toMatchObject([
      { outcome: 'ok', result: { text: `Order ${orderId} is cancelled.` } },
    ]);
    const done = (await beside.done()).filter((one) => one.orderId === orderId);
    expect(done).toEqual([expect.objectContaining({ userId: user.userId, cancelled: true, callId: `${runId}/1/0` })]);
  }

  it('though the tools are killed after they did it and before they answer', async () => {
    const user = await beside.newUser();
    const order = await cancelling(user);
    await beside.killAfterRecord();
    expect((await order.approve()).status).toBe(200);
    await beside.tools.untilEnded();
    expect((await beside.done()).filter(({ orderId }) => orderId === order.orderId)).toHaveLength(1);
    await beside.tools.start();
    await expectOnce(user, order);
  });

  it('though Parley is killed meanwhile', async () => {
    const user = await beside.newUser();
    const order = await cancelling(user);
    const hold = await beside.holdAfterRecord();
    expect((await order.approve()).status).toBe(200);
    await hold.untilHeld();
    await beside.parley.kill('SIGKILL');
    await hold.release();
    await beside.parley.start();
    await expectOnce(user, order);
    expect((await eventsOf(user, order.conversationId, 'run.claimed')).length).toBeGreaterThan(0);
  });

  it('though both are killed, and the tools come back only after Parley asked for them', async () => {
    const user = await beside.newUser();
    const order = await cancelling(user);
    const hold = await beside.holdAfterRecord();
    expect((await order.approve()).status).toBe(200);
    await hold.untilHeld();
    await beside.parley.kill('SIGKILL');
    await beside.tools.end('SIGKILL');
    await hold.release();
    await beside.parley.start();
    await until('the take-over', async () =>
      (await eventsOf(user, order.conversationId, 'run.claimed')).length > 0 ? true : null,
    );
    await sleep(awayMs);
    expect(await eventsOf(user, order.conversationId, 'tool.returned')).toEqual([]);
    await beside.tools.start();
    await expectOnce(user, order);
  });
});

describe('a call by somebody else', () => {
  const claims = { 'parley/toolCallId': 'call/1/0' };
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  /** The claims that Parley would sign; each case changes some of them. */
  const genuine = (): JWTPayload => ({
    ...claims,
    iss: beside.baseUrl,
    aud: 'orders',
    sub: randomUUID(),
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    jti: randomUUID(),
  });

  async function kid(): Promise<string> {
    const { body, headers } = await requestJson<{ keys: { kid: string }[] }>(
      'GET',
      `${beside.baseUrl}/.well-known/jwks.json`,
    );
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    return body.keys[0]?.kid ?? '';
  }

  async function signed(
    change: Readonly<Record<string, unknown>> = {},
    key: KeyObject | Uint8Array = privateKey,
    alg = 'ES256',
  ) {
    const header = { alg, kid: await kid(), typ: 'JWT' };
    return new SignJWT({ ...genuine(), ...change }).setProtectedHeader(header).sign(key);
  }

  /** Calls a tool as any program could that reaches the server. */
  async function called(header: string | null, userId: string = randomUUID()) {
    const response = await fetch(beside.toolsUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(header !== null && { 'parley-context': header }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'list_orders', arguments: { userId }, _meta: { 'parley/userId': userId } },
      }),
    });
    expect(response.status).toBe(200);
    const [, data = ''] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    // Reason for the assertion: the shape of a result in the protocol.
    const { result } = JSON.parse(data) as { result: { isError?: boolean; content: { text: string }[] } };
    return { refused: result.isError === true, text: result.content[0]?.text ?? '' };
  }

  const refusal = { refused: true, text: 'This call was refused: it does not say whose it is.' };

  it('is answered where Parley signed it', async () => {
    expect(await called(await signed())).toMatchObject({ refused: false, text: expect.stringContaining('"open"') });
  });

  it.each<[string, () => Promise<string | null>]>([
    ['no header', () => Promise.resolve(null)],
    ['no token', () => Promise.resolve('Bearer user')],
    ['a key of its own', () => signed({}, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)],
    ['a token that has expired', () => signed({ iat: nowSeconds() - 200, exp: nowSeconds() - 140 })],
    ['a token that lives for long', () => signed({ iat: nowSeconds() - 3600, exp: nowSeconds() + 3600 })],
    ['a token that never ends', () => signed({ exp: undefined })],
    ['a token for another server', () => signed({ aud: 'invoices' })],
    ['a token of another issuer', () => signed({ iss: 'http://127.0.0.1:1' })],
    ['a token for nobody', () => signed({ sub: undefined })],
    ['a token for no call', () => signed({ 'parley/toolCallId': undefined })],
    ['a token without signature', () => Promise.resolve(new UnsecuredJWT(genuine()).encode())],
    [
      'a signature by the public key as a secret',
      () => signed({}, Buffer.from(createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })), 'HS256'),
    ],
    [
      'a token that was altered',
      async () => {
        const [head, , signature] = (await signed()).split('.');
        return [head, Buffer.from(JSON.stringify(genuine())).toString('base64url'), signature].join('.');
      },
    ],
  ])('is refused with %s', async (_, header) => {
    expect(await called(await header())).toEqual(refusal);
  });
});
