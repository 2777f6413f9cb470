import { Logger } from '@nestjs/common';
import { Unavailable } from '@app/kernel';
import type { RequestListener } from 'node:http';
import type { Answer, Api } from '../src/json-http';
import { Verifier } from '../src/verifier';
import { startAnswering, type Answering } from './answering';

const away = { constructor: Unavailable, reason: 'provider_unavailable' };
const megabyte = 'x'.repeat(1024 * 1024);

describe('an API over HTTP', () => {
  let world: Answering;
  let asked = 0;

  beforeAll(() => Logger.overrideLogger(false));
  afterAll(() => Logger.overrideLogger(true));
  beforeEach(() => (asked = 0));
  afterEach(() => world.stop());

  async function start(listener: RequestListener, settings: Partial<Api> = {}): Promise<void> {
    world = await startAnswering((request, response) => {
      asked += 1;
      listener(request, response);
    }, settings);
  }

  const ask = (repeatable = true): Promise<Answer> =>
    world.http.ask({ name: 'x', method: 'GET', path: '/x', repeatable }, (answer) => answer);
  const broken: RequestListener = (_, response) => void response.writeHead(500).end('secret words');

  it('is asked with its headers, and answers JSON to the last digit', async () => {
    const seen: string[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push(`${request.method} ${request.url} ${String(request.headers['x-api-key'])}`);
      response.end('{"price":0.10000000000000000001}');
    };
    await start(listener, { headers: { 'x-api-key': 'k' } });
    const { status, body } = await ask();
    expect(status).toBe(200);
    expect(String((body as { price: unknown }).price)).toBe('0.10000000000000000001');
    expect(seen).toEqual(['GET /x k']);
  });

  it('judges no answer below 500 but those that are none', async () => {
    let status = 404;
    await start((_, response) => void response.writeHead(status).end('{}'));
    expect(await ask()).toMatchObject({ status: 404 });
    for (status of [401, 403, 408, 429, 500, 502, 503]) await expect(ask(false)).rejects.toMatchObject(away);
  });

  it('is asked again when it was not answered, where that is harmless', async () => {
    await start((_, response) => void (asked < 3 ? response.destroy() : response.end('{}')), { repeatsMax: 2 });
    await expect(ask(false)).rejects.toMatchObject(away);
    expect(asked).toBe(1);
    expect(await ask()).toMatchObject({ status: 200 });
    expect(asked).toBe(3);
  });

  it('is waited for no longer than it may take, headers or body', async () => {
    await start((_, response) => void response.writeHead(200).write('{'), { timeoutMs: 50 });
    await expect(ask()).rejects.toMatchObject(away);
    await world.stop();
    await start(() => undefined, { timeoutMs: 50 });
    await expect(ask()).rejects.toMatchObject(away);
  });

  it('is not listened to beyond the bound', async () => {
    let sentMegabytes = 0;
    await start((_, response) => {
      const send = (): void => {
        if (response.destroyed || sentMegabytes >= 64) return;
        sentMegabytes += 1;
        response.write(megabyte, send);
      };
      send();
    });
    await expect(ask()).rejects.toMatchObject(away);
    expect(sentMegabytes).toBeLessThan(32);
  });

  it('is not followed elsewhere, where its key would go too', async () => {
    await start((_, response) => void response.writeHead(302, { location: '/elsewhere' }).end());
    await expect(ask()).rejects.toMatchObject(away);
    expect(asked).toBe(1);
  });

  it('keeps its words to itself', async () => {
    await start(broken);
    const error: unknown = await ask().catch((reason: unknown) => reason);
    expect((error as Error).message).not.toContain('secret');
  });

  it('is left alone once it failed too often, and asked again a little later', async () => {
    let well = false;
    const listener: RequestListener = (request, response) =>
      well ? void response.end('{}') : broken(request, response);
    await start(listener, { breakerFailures: 3, breakerOpenMs: 200 });
    for (let call = 0; call < 10; call += 1) await expect(ask()).rejects.toMatchObject(away);
    expect(asked).toBe(3);
    well = true;
    await expect(ask()).rejects.toMatchObject(away);
    expect(asked).toBe(3);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 200 });
  });

  it('is not left alone for what one call fails of', async () => {
    await start((_, response) => void response.end('{"error":{"name":"HANDLER_ERROR"}}'), { breakerFailures: 2 });
    const verifier = new Verifier(world.http);
    for (let call = 0; call < 5; call += 1) await expect(verifier.currentSalt()).rejects.toMatchObject(away);
    expect(asked).toBe(5);
  });

  it('is left alone again when it is not well yet', async () => {
    await start(broken, { breakerFailures: 2, breakerOpenMs: 100 });
    for (let call = 0; call < 4; call += 1) await expect(ask()).rejects.toMatchObject(away);
    await new Promise((resolve) => setTimeout(resolve, 150));
    for (let call = 0; call < 4; call += 1) await expect(ask()).rejects.toMatchObject(away);
    expect(asked).toBe(3);
  });
});
