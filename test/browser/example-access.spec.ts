import type { Browser } from 'playwright-core';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { violationsOn } from './axe';
import { browserTimeoutMs, openChromium } from './chromium';
import { startExample, type Example } from './example';
import { visit } from './visit';

jest.setTimeout(300_000);

describe('the example, for whoever sees little, hears it, or has no mouse', () => {
  let deployment: Deployment;
  let example: Example;
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
    deployment = await startDeployment({ mode: 'processes' });
    example = await startExample(deployment);
  }, browserTimeoutMs);

  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await deployment?.stop();
  });

  it.each([
    ['a desktop', { width: 1180, height: 780 }],
    ['a phone', { width: 390, height: 640 }],
  ])('asks for consent in view, and takes it by the keyboard alone (%s)', async (device, size) => {
    const { page, say, close } = await visit(browser, example, device);
    await page.setViewportSize(size);
    expect(await violationsOn(page)).toEqual([]);
    await say('repeat after me: something that stands above');
    await page.locator('#log').getByText('something that stands above', { exact: true }).waitFor();
    await say('withdraw 1.5 USDC');
    const card = page.locator('.approval');
    await card.getByRole('button', { name: 'Approve' }).waitFor();

    // The sentence that asks for consent is visible and has the focus, however much content is below it.
    await card.locator('h2:focus').waitFor();
    const sentence = await card.locator('.summary').boundingBox();
    expect(sentence?.y).toBeGreaterThanOrEqual(0);
    expect((sentence?.y ?? Infinity) + (sentence?.height ?? 0)).toBeLessThanOrEqual(size.height);
    expect(await violationsOn(page)).toEqual([]);

    for (let tabs = 0; (await card.locator('button:focus').count()) === 0; tabs += 1) {
      expect(tabs).toBeLessThan(10);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await card.getByText('Settled: the money has moved.').waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await close();
  });
});
