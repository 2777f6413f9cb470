import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { JsonHttp, type Api } from '../src/json-http';

/** An HTTP server on 127.0.0.1 with a client for it. */
export interface Answering {
  readonly http: JsonHttp;
  readonly server: Server;
  stop(): Promise<void>;
}

const api = {
  name: 'test',
  headers: {},
  timeoutMs: 2_000,
  breakerFailures: 1_000_000,
  breakerOpenMs: 1,
  repeatsMax: 0,
};

export async function startAnswering(listener: RequestListener, settings: Partial<Api> = {}): Promise<Answering> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    http: new JsonHttp({ ...api, url, ...settings }),
    server,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
