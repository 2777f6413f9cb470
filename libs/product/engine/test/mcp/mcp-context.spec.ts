/** Servers over HTTP know whose call it is by a header that the service signs, and receive each call as often as necessary. */
import { createPublicKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { asId, type ConversationId, type RunId, type ToolCallId, type UserId } from '@app/kernel';
import { readConfiguration } from '@app/settings';
import { LoopbackMcp, saying } from '@app/testing/mcp';
import { ContextKeys } from '../../src/mcp/context-keys';
import { McpServers } from '../../src/mcp/mcp-servers';
import type { CallContext } from '../../src/tool';
import { calling, configured } from './mcp-calls';
import { breakingOff } from './mcp-interruptions';

interface SentCall {
  readonly method: string;
  readonly header: string | undefined;
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
}

let mcp: LoopbackMcp;
let servers: McpServers;
let keys: ContextKeys;
/** Every request with a body. */
let sent: SentCall[];
beforeEach(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'look' }, { name: 'cancel' }];
  sent = [];
  mcp.misbehave = ({ headers }, _, body) => {
    if (body === '') return false;
    // Reason for the assertion: a message of JSON-RPC.
    const { method, params } = JSON.parse(body) as { method: string; params?: { _meta?: SentCall['meta'] } };
    sent.push({ method, header: [headers['parley-context']].flat()[0], meta: params?._meta ?? {} });
    return false;
  };
  const tools = { cancel: { consent: 'auto', idempotent: true } };
  const configuration = configured({ name: 'docs', consent: 'auto', tools, transport: { type: 'http', url: mcp.url } });
  keys = new ContextKeys(configuration);
  servers = new McpServers(configuration, keys);
  await servers.onModuleInit();
});
afterEach(async () => {
  await servers.onModuleDestroy();
  await mcp.stop();
});

const call = (tool: string, whose: Partial<CallContext> = {}) =>
  calling(servers, `docs_${tool}`, {}, new AbortController().signal, whose);
const callsSent = () => sent.filter(({ method }) => method === 'tools/call');

const keySetOf = ({ published }: ContextKeys) => createLocalJWKSet({ keys: [...published.keys] });

async function verified(header: string | undefined): Promise<JWTPayload> {
  const { payload, protectedHeader } = await jwtVerify(header ?? '', keySetOf(keys), {
    algorithms: ['ES256'],
    audience: 'docs',
    issuer: 'http://127.0.0.1:8080',
    typ: 'JWT',
  });
  expect(protectedHeader.kid).toBe(keys.published.keys[0]?.kid);
  return payload;
}

const someone = (): Partial<CallContext> => ({
  userId: asId<UserId>(randomUUID()),
  conversationId: asId<ConversationId>(randomUUID()),
  runId: asId<RunId>(randomUUID()),
  toolCallId: asId<ToolCallId>(`${randomUUID()}/1/0`),
});

describe('the header Parley-Context', () => {
  it('says whose call it is, for a minute of real time, to this server alone', async () => {
    const before = Math.floor(Date.now() / 1000);
    await call('look');
    const [{ header } = { header: '' }] = callsSent();
    const { iat = 0, exp = 0, jti, ...claims } = await verified(header);
    expect(claims).toEqual({
      iss: 'http://127.0.0.1:8080',
      aud: 'docs',
      sub: 'user',
      'parley/userId': 'user',
      'parley/conversationId': 'conversation',
      'parley/runId': 'run',
      'parley/toolCallId': 'run/1/0',
    });
    expect([exp - iat, iat >= before, iat <= Math.floor(Date.now() / 1000)]).toEqual([60, true, true]);
    expect(jti).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('goes with calls of tools, and with nothing else', async () => {
    await call('look');
    await servers.look();
    const without = sent.filter(({ header }) => header === undefined).map(({ method }) => method);
    expect(without).toEqual(expect.arrayContaining(['initialize', 'notifications/initialized', 'tools/list']));
    expect(without).not.toContain('tools/call');
  });

  it('is of its own call, however many users call at once over one connection', async () => {
    const users = Array.from({ length: 60 }, someone);
    let waiting: (() => void)[] = [];
    mcp.answer = async ({ meta }) => {
      // No call is answered before all have arrived, and then the last is answered first.
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === users.length) for (const answer of waiting.reverse()) answer();
      });
      return saying(String(meta['parley/userId']));
    };
    const results = await Promise.all(users.map((user) => call('look', user)));
    expect(results).toEqual(users.map(({ userId }) => ({ outcome: 'ok', result: { text: userId } })));
    waiting = [];
    const tokens = await Promise.all(
      callsSent().map(async ({ header, meta }) => ({ meta, ...(await verified(header)) })),
    );
    for (const { meta: sent, sub, ...claims } of tokens) {
      const { progressToken, ...meta } = sent;
      expect([typeof progressToken, claims]).toEqual(['number', expect.objectContaining(meta)]);
      expect(sub).toBe(meta['parley/userId']);
    }
    expect(new Set(tokens.map(({ sub }) => sub))).toEqual(new Set(users.map(({ userId }) => userId)));
    expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(users.length);
  });

  it('is another one for each attempt of a call, whose key stays the same', async () => {
    await mcp.restart(); // it forgets the session
    expect(await call('look')).toMatchObject({ outcome: 'ok' });
    const attempts = callsSent();
    expect(attempts).toHaveLength(2);
    const [one, other] = await Promise.all(attempts.map(({ header }) => verified(header)));
    expect(other?.['parley/toolCallId']).toBe(one?.['parley/toolCallId']);
    expect(other?.jti).not.toBe(one?.jti);
  });
});

describe('a call whose answer is lost', () => {
  /** Loses the answers of this many calls, but executes the calls. */
  function losing(count: number): () => number {
    let done = 0;
    const { misbehave } = mcp;
    mcp.misbehave = (request, response, body) => {
      misbehave(request, response, body);
      if (!body.includes('tools/call')) return false;
      done += 1;
      return done <= count && breakingOff(request, response, body);
    };
    return () => done;
  }

  it('is made again, with its key, where the configuration says that the server does nothing twice', async () => {
    const done = losing(2);
    expect(await call('cancel')).toMatchObject({ outcome: 'ok' });
    expect(done()).toBe(3);
    expect(new Set(callsSent().map(({ meta }) => meta['parley/toolCallId']))).toEqual(new Set(['run/1/0']));
  });

  it('is not made again elsewhere', async () => {
    const done = losing(1);
    expect(await call('look')).toMatchObject({ outcome: 'error' });
    expect(done()).toBe(1);
  });

  it('is not made again without end', async () => {
    const done = losing(Infinity);
    expect(await call('cancel')).toMatchObject({ outcome: 'error' });
    expect(done()).toBe(7);
  });

  it('is not made again where the server answered, with whatever error', async () => {
    mcp.answer = () => Promise.reject(new Error('not today'));
    expect(await call('cancel')).toMatchObject({ outcome: 'error' });
    expect(callsSent()).toHaveLength(1);
  });

  it('is not made again once the run is stopped', async () => {
    const done = losing(Infinity);
    const stop = new AbortController();
    const going = calling(servers, 'docs_cancel', {}, stop.signal);
    while (done() === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    stop.abort();
    expect(await going).toEqual({ outcome: 'error', result: { error: 'the call was stopped' } });
  });
});

describe('the keys', () => {
  const kidsOf = (env: Readonly<Record<string, string>>) =>
    new ContextKeys(readConfiguration(env)).published.keys.map(({ kid }) => kid);
  const secret = () => randomBytes(32).toString('base64');
  const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

  it('are those of the configuration, whose public halves are shown and of which the first one signs', async () => {
    const given = [newKey(), newKey()];
    const CONTEXT_SIGNING_KEYS = given.map((key) => key.export({ type: 'pkcs8', format: 'pem' })).join('');
    const rotated = new ContextKeys(readConfiguration({ CONTEXT_SIGNING_KEYS, PUBLIC_URL: 'https://agents.example/' }));
    const { keys: published } = rotated.published;
    expect(published).toMatchObject(given.map((key) => createPublicKey(key).export({ format: 'jwk' })));
    for (const { kid, ...jwk } of published) {
      expect(Object.keys(jwk)).toEqual(['kty', 'crv', 'alg', 'use', 'x', 'y']);
      expect(kid).toBe(await calculateJwkThumbprint(jwk));
    }
    const ids = { 'parley/userId': 'u', 'parley/conversationId': 'c', 'parley/runId': 'r', 'parley/toolCallId': 't' };
    const { payload, protectedHeader } = await jwtVerify(await rotated.sign('docs', ids), keySetOf(rotated));
    expect([payload.iss, protectedHeader.kid]).toEqual(['https://agents.example', published[0]?.kid]);
  });

  it('are one of its own for each sandbox, the same in all of its processes', () => {
    const env = { PARLEY_SECRET_KEY: secret() };
    expect(kidsOf(env)).toEqual(kidsOf(env));
    expect(kidsOf(env)).not.toEqual(kidsOf({ PARLEY_SECRET_KEY: secret() }));
  });

  it('keep the one that signs when a newer secret key is put in front, and publish the one that follows', async () => {
    const [oldest, newest] = [secret(), secret()];
    const [ofOldest, ofNewest] = [kidsOf({ PARLEY_SECRET_KEY: oldest }), kidsOf({ PARLEY_SECRET_KEY: newest })];
    const both = new ContextKeys(readConfiguration({ PARLEY_SECRET_KEY: `${newest},${oldest}` }));
    expect(both.published.keys.map(({ kid }) => kid)).toEqual([...ofOldest, ...ofNewest]);
    const ids = { 'parley/userId': 'u', 'parley/conversationId': 'c', 'parley/runId': 'r', 'parley/toolCallId': 't' };
    const { protectedHeader } = await jwtVerify(await both.sign('docs', ids), keySetOf(both));
    expect(protectedHeader.kid).toBe(ofOldest[0]);
  });

  it('are none where nobody gave any', async () => {
    expect(kidsOf({})).toEqual([]);
    const none = new ContextKeys(readConfiguration({}));
    await expect(none.sign('docs', {} as never)).rejects.toThrow('CONTEXT_SIGNING_KEYS is needed');
  });
});
