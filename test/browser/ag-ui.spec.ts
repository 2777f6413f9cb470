import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { conversationOf, journal, newOwner, operationsOf, providerFault, prompt } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import { CuttingProxy } from '@app/testing/proxies';
import { startAgUiPartner, type AgUiPartner } from '../client/ag-ui-partner';
import { clientOf } from '../client/clients';
import { browserTimeoutMs, openChromium } from './chromium';

const cutsWanted = process.env['FIGURES'] === 'full' ? 500 : 25;
const seenWithinMs = 60_000;
const root = path.join(__dirname, '..', '..');
const html = `<!doctype html><title>AG-UI</title><ul id="log"></ul><ul id="asked"></ul>
<form id="form"><input name="text" aria-label="Message"></form><p id="status" role="status"></p>
<script src="/page.js"></script>`;

jest.setTimeout(900_000);

describe('the HttpAgent of @ag-ui/client, unmodified, in Chromium', () => {
  let deployment: Deployment;
  let owner: TestClient;
  let partner: AgUiPartner;
  let proxy: CuttingProxy;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    browser = await openChromium();
    // A stream that the proxy cuts counts until the service notices its end.
    deployment = await startDeployment({ mode: 'in-process', env: { STREAMS_PER_USER: '1000' } });
    await providerFault(deployment, prompt);
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 600 } });
    owner = await newOwner(deployment);
    partner = await startAgUiPartner(clientOf(owner));
    proxy = await CuttingProxy.start(partner.origin, { seed: 19, upBytesMax: 6_000, downBytesMax: 12_000 });
    page = await browser.newPage();
    page.setDefaultTimeout(seenWithinMs);
    const script = await bundled();
    // The page itself is not cut.
    await page.route(/\/(page\.js|\?.*)$/, (route) => {
      const isScript = route.request().url().endsWith('/page.js');
      return route.fulfill(
        isScript ? { contentType: 'text/javascript', body: script } : { contentType: 'text/html', body: html },
      );
    });
  }, browserTimeoutMs);

  afterAll(async () => {
    await browser?.close();
    await proxy?.stop();
    await partner?.stop();
    await deployment?.stop();
  });

  async function say(text: string): Promise<void> {
    await page.getByLabel('Message').fill(text);
    await page.keyboard.press('Enter');
  }

  const shown = () => page.locator('#log li').allTextContents();

  it('loses nothing, doubles nothing and moves money once, through cuts and a reload in the middle of an approval', async () => {
    let rounds = 0;
    for (; proxy.total < cutsWanted; rounds += 1) {
      const conversationId = await conversationOf(owner);
      await page.goto(`${proxy.baseUrl}/?${conversationId}`);
      await page.getByText('idle').waitFor();
      const words = `round ${rounds}, of which every word is told once and in order`;
      await say(`repeat after me: ${words}`);
      await page.getByText('idle').waitFor();
      expect(await shown()).toEqual([`repeat after me: ${words}`, words]);

      await say('withdraw 0.1 USDC');
      const approve = page.getByRole('button', { name: 'Approve' });
      await approve.waitFor();
      await page.reload();
      await page.getByText('idle').waitFor();
      expect(await page.locator('.term').first().textContent()).toContain('0.1 USDC');
      // Reloaded before the reply to the approval arrives: the page asks again, or the approval was accepted.
      await approve.click();
      await page.reload();
      await page.getByText('idle').waitFor();
      if ((await approve.count()) > 0) await approve.click();
      await page.getByText('idle').waitFor();

      expect(await approve.count()).toBe(0);
      const events = await journal(owner, conversationId);
      const said = events.flatMap(({ payload }) => textsOf(payload));
      expect(await shown()).toEqual(said);
      const operations = await page.evaluate('Object.values(window.user.agent.state.parley.operations)');
      expect(operations).toEqual([expect.objectContaining({ status: 'settled' })]);
      const moved = (await operationsOf(owner)).filter((operation) => operation.conversationId === conversationId);
      expect(moved).toHaveLength(1);
    }
    const { connections, up, beforeAnswer, inAnswer } = proxy.cuts;
    process.stdout.write(
      `AG-UI in Chromium: ${rounds} withdrawals, each with a reload while it asks and one while it is answered, over ${connections} ` +
        `connections and ${proxy.total} cuts (${up} on the way there, ${beforeAnswer} before the answer, ${inAnswer} in it)\n`,
    );
    expect(proxy.total).toBeGreaterThanOrEqual(cutsWanted);
  });
});

/** The texts that a page shows of an event. */
function textsOf(payload: Record<string, unknown>): string[] {
  if (payload['type'] === 'agent.message') return [payload['text'] as string];
  if (payload['type'] !== 'run.started') return [];
  return [(payload['request'] as { input: { text: string } }).input.text];
}

/** The page's script with all its dependencies, the client library as npm publishes it. */
async function bundled(): Promise<string> {
  const program = path.join(root, 'node_modules', 'esbuild', 'bin', 'esbuild');
  const entry = path.join(__dirname, 'ag-ui-page.js');
  const options = { maxBuffer: 16 * 1024 * 1024 };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program, entry, '--bundle', '--format=iife'],
    options,
  );
  return stdout;
}
