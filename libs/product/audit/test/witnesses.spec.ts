/**
 * A refusing witness differs from an unavailable one: each refusal is logged as an error and has a metric of its own,
 * also after an outage.
 */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestLog } from '@app/testing/logs';
import { until } from '@app/testing/until';
import { cosign, parseNote, signatureLine, signingKey } from '@app/transparency';
import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Witnesses } from '../src/witnesses/witnesses';
import { isDeepStrictEqual } from 'node:util';

const key = signingKey('witness', 'w.example', Buffer.alloc(32, 9));
const log = TestLog.create();
const note = log.note(9);
const line = signatureLine(cosign(key, parseNote(note)!.text, 1_790_000_000));

let answer: RequestListener;
let stopping: AbortController;
let following: Promise<void>;
let registry: Registry;
let said: string[];
const server = createServer((request, response) => answer(request, response));
const cosigned = jest.fn(() => Promise.resolve());

beforeEach(async () => {
  [said, registry, stopping] = [[], new Registry(), new AbortController()];
  cosigned.mockClear();
  const keep =
    (level: string) =>
    ({ msg }: { msg: string }) =>
      said.push(`${level}: ${msg}`);
  for (const level of ['error', 'warn', 'log'] as const)
    jest.spyOn(Logger.prototype, level).mockImplementation(keep(level) as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Reason for the assertion: it listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const witnesses = new Witnesses(
    { env: { WITNESSES: [{ key, url }] } } as never,
    { tree: () => ({ consistencyPath: () => Promise.resolve([]) }) } as never,
    { cosign: cosigned } as never,
    { look: () => Promise.resolve() } as never,
    { registry },
  );
  following = witnesses.follow(stopping.signal);
  witnesses.tell({ signed: [{ size: 9, note, cosignatures: [] }] } as never);
});
afterEach(async () => {
  stopping.abort();
  await following;
  jest.restoreAllMocks();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const away: RequestListener = (request) => request.socket.destroy();
const status =
  (code: number, body = ''): RequestListener =>
  (_, response) =>
    response.writeHead(code).end(body);

const figures = async (): Promise<Record<string, number>> => {
  const lines = (await registry.metrics()).split('\n').filter((text) => text.startsWith('parley_witness_'));
  const parsed = lines.map((text) => /^parley_witness_(\w+)\{witness="w\.example"(?:,why="(\w+)")?\} (\d)$/.exec(text));
  return Object.fromEntries(parsed.map((match) => [match?.[2] ?? match?.[1] ?? '', Number(match?.[3])]));
};
/** Waits for figures, because a line of the log may come before them. */
const untilFigures = (expected: Readonly<Record<string, number>>) =>
  until('the figures', async () => isDeepStrictEqual(await figures(), expected) || null);
const countOf = (start: string): number => said.filter((text) => text.startsWith(start)).length;
const refused = 'error: a witness refuses the checkpoint';

it.each([
  ['a larger tree than there is', status(409, '10\n'), 'contradiction'],
  ['that the log did not grow', status(422, 'no\n'), 'contradiction'],
  ['that it knows no such log', status(404), 'unknown'],
  ['that it knows no such key', status(403), 'unknown'],
])('%s: shown, and logged each time, also after an outage', async (_, refusing, why) => {
  answer = away;
  await until('an outage', async () => (await figures())['up'] === 0 || null);
  expect(said).toEqual(['warn: a witness does not sign']);
  answer = refusing;
  await until('two refusals', () => Promise.resolve(countOf(refused) >= 2 || null));
  await untilFigures({ up: 1, contradiction: 0, unknown: 0, [why]: 1 });
  answer = away;
  await until('another outage', () => Promise.resolve(countOf('warn') === 2 || null));
  await untilFigures({ up: 0, contradiction: 0, unknown: 0 });
  answer = status(200, line);
  await until('a signature', () => Promise.resolve(countOf('log: a witness signs again') === 1 || null));
  await untilFigures({ up: 1, contradiction: 0, unknown: 0 });
  expect(cosigned).toHaveBeenCalledTimes(1);
});
