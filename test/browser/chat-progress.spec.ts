import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { LoopbackMcp, saying } from '@app/testing/mcp';
import { visitChat } from './chat-visit';
import { browserTimeoutMs, openChromium } from './chromium';
import { startExample, type Example } from './example';

jest.setTimeout(600_000);

const hostile = '<img src=x onerror="window.hurt = 1"> **not bold**\n\u001b[2J';

describe('a tool that reports its progress, in examples/chat', () => {
  let mcp: LoopbackMcp;
  let deployment: Deployment;
  let example: Example;
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
    mcp = await LoopbackMcp.start();
    mcp.tools = [{ name: 'work' }, { name: 'pay' }];
    const servers = [
      { name: 'web', transport: { type: 'http', url: mcp.url }, consent: 'auto', tools: { pay: 'ask', work: 'auto' } },
    ];
    deployment = await startDeployment({ mode: 'in-process', env: { MCP_SERVERS: JSON.stringify(servers) } });
    example = await startExample(deployment, 'chat');
  }, browserTimeoutMs);

  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await deployment?.stop();
    await mcp?.stop();
  });

  it('is shown next to its call while it runs, after a reload too, and not afterwards', async () => {
    let isDone = false;
    let step = 1;
    mcp.answer = async ({ report }) => {
      for (let progress = 0; !isDone; progress += 1) {
        await report({ progress: step + progress / 1000, total: 3, message: `Invoice ${step} of 3` });
        await sleep(200);
      }
      return saying('done');
    };
    const visit = await visitChat(browser, example, 'Ada');
    const { page } = visit;
    const bar = page.getByRole('progressbar', { name: 'Used web_work' });
    await visit.say('call web_work {}');
    await page.getByText('Invoice 1 of 3').waitFor();
    expect(Number(await bar.getAttribute('value'))).toBeGreaterThanOrEqual(1);
    expect(await visit.violations()).toEqual([]);
    step = 2;
    await page.getByText('Invoice 2 of 3').waitFor();
    await page.reload();
    await page.getByText('Invoice 2 of 3').waitFor();
    isDone = true;
    await page.locator('.message[data-status="completed"]').waitFor();
    expect(await bar.count()).toBe(0);
    expect(visit.faults).toEqual([]);
    await visit.close();
  });

  it('is shown for an approved call, as text and nothing else', async () => {
    let isDone = false;
    mcp.answer = async ({ report }) => {
      for (let progress = 1; !isDone; progress += 1) {
        await report({ progress, message: hostile });
        await sleep(200);
      }
      return saying('done');
    };
    const visit = await visitChat(browser, example, 'Grace');
    const { page, question } = visit;
    await visit.say('call web_pay {}');
    await question.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('<img src=x onerror="window.hurt = 1"> **not bold** \ufffd[2J').waitFor();
    expect(await page.getByRole('progressbar').getAttribute('value')).toBeNull();
    isDone = true;
    await page.locator('.message[data-status="completed"]').waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    expect(visit.faults).toEqual([]);
    await visit.close();
  });
});
