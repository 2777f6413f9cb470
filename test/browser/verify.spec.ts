/** @parley/verify in a real browser: a page that has the package and a receipt, and makes no other requests. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { provenWithdrawal, type Proven } from '../verify/receipts';
import { browserTimeoutMs, openChromium } from './chromium';

const built = join(__dirname, '..', '..', 'libs', 'clients', 'verify', 'dist', 'esm', 'index.js');

let deployment: Deployment;
let proven: Proven;
let browser: Browser;
let server: Server;
let origin: string;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  proven = await provenWithdrawal(deployment);
  browser = await openChromium();
  const code = await readFile(built);
  server = createServer(({ url }, response) => {
    const isCode = url === '/verify.js';
    response.writeHead(200, { 'content-type': isCode ? 'text/javascript' : 'text/html' });
    response.end(isCode ? code : '<!doctype html><title>verify</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Reason for the assertion: a server that listens on a port has such an address.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}, browserTimeoutMs);
afterAll(async () => {
  await browser?.close();
  server?.close();
  await deployment?.stop();
});

/** Evaluated in the page: the results of verifying a receipt, and an altered one. */
const asked = ({ receipt, logKey, witnessKey }: Proven) => `
  import('/verify.js').then(({ trustPolicy, verifyReceipt }) => {
    const receipt = ${JSON.stringify(receipt)};
    const trust = trustPolicy({ log: [${JSON.stringify(logKey)}], witnesses: [${JSON.stringify(witnessKey)}] });
    const altered = { ...receipt, events: receipt.events.map((event, at) => (at === 1 ? { ...event, revision: 7 } : event)) };
    return [verifyReceipt(receipt, trust), verifyReceipt(altered, trust)];
  })`;

it('verifies a receipt, and names what was altered', async () => {
  const page = await browser.newPage();
  const asks: string[] = [];
  page.on('request', (request) => asks.push(request.url()));
  await page.goto(origin);
  const [report, altered] = await page.evaluate<Record<string, unknown>[]>(asked(proven));
  expect(report).toMatchObject({ holds: true, problems: [], unproven: [] });
  expect(report?.['proven']).toHaveLength(6);
  const { stream } = proven.receipt.events[1]!;
  expect(altered).toMatchObject({
    holds: false,
    problems: [{ path: '/events/1/leafSha256', stream, revision: 7, message: 'is not the hash of the event' }],
  });
  expect(asks.every((url) => url.startsWith(origin))).toBe(true);
});
