import type { Browser } from 'playwright-core';
import {
  type Approval,
  conversationOf,
  holdings,
  type Listed,
  start,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import { factOf, pendingApproval, termsOf } from './approval-card';
import { browserTimeoutMs, openChromium } from './chromium';
import { startExample, type Example } from './example';
import { glimpses, keptInPage, seenWithinMs, visit, watchWords } from './visit';

const testTimeoutMs = 240_000;
/** A step of the model, long enough to be followed word by word. */
const slowly = { model: { delayMs: 3_000 } };

jest.setTimeout(testTimeoutMs);

describe('the example that a partner copies, in a browser', () => {
  let deployment: Deployment;
  let example: Example;
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
    deployment = await startDeployment({ mode: 'in-process', env: { BUDGET_DAY_CENTS: '40' } });
    example = await startExample(deployment);
  }, browserTimeoutMs);

  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await deployment?.stop();
  });

  afterEach(() => deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } }));

  it('shows an answer word by word, before it is complete', async () => {
    await deployment.sandbox('PUT', 'faults', slowly);
    const { page, say, said, consoleErrors, close } = await visit(browser, example, 'Ada');
    await say('repeat after me: one');
    await until('the first answer', async () => ((await said()).includes('one') ? true : null), seenWithinMs);
    await watchWords(page);
    const words = 'the tide comes in slowly and every word of it is heard';
    await say(`repeat after me: ${words}`);
    await until('the answer', async () => ((await said()).at(-1) === words ? true : null), seenWithinMs);
    await page.locator('.said.agent[aria-busy="true"]').waitFor({ state: 'detached' });

    const seen = await glimpses(page);
    expect(seen.length).toBeGreaterThanOrEqual(5);
    for (const [index, glimpse] of seen.entries()) {
      expect(words.startsWith(glimpse.trimEnd())).toBe(true);
      expect(glimpse.length).toBeGreaterThan(seen[index - 1]?.length ?? 0);
    }
    expect(await said()).toEqual(['repeat after me: one', 'one', `repeat after me: ${words}`, words]);
    expect(await page.locator('#announcer').textContent()).toBe(words);
    expect(consoleErrors).toEqual([]);
    await close();
  });

  it('shows exactly what is asked, and the money moves when Approve is clicked', async () => {
    const { page, say, asset, consoleErrors, close } = await visit(browser, example, 'Grace');
    const user = await example.userNamed('Grace');
    expect((await holdings(user))[usdc]).toBe('250000000');
    await asset('USDC').getByText('250', { exact: true }).waitFor();
    await say('withdraw 1.5 USDC');

    const card = page.locator('.approval');
    await card.getByRole('button', { name: 'Approve' }).waitFor();
    const approval = await pendingApproval(user);
    expect(approval['contract']).toMatchObject({ actions: [{ quantity: { amountRaw: '1500000' } }] });
    expect(await card.locator('.summary').textContent()).toBe(approval['summary']);
    expect(await termsOf(card)).toEqual([
      'What',
      'Withdraw 1.5 USDC to your main account',
      'At most',
      '1.5 USDC',
      'How often',
      'Once',
      'To whom',
      'Your main account',
    ]);
    // The part that only programs read is there, collapsed.
    expect(await card.locator('pre').isVisible()).toBe(false);
    await card.getByText('The request itself').click();
    expect(await card.locator('pre').isVisible()).toBe(true);
    expect(await factOf(card, 'Raw units')).toBe('1500000');
    expect(await factOf(card, 'Token')).toBe(usdc);
    expect(await factOf(card, 'Fingerprint')).toBe(approval.fingerprint);
    expect(await card.locator('time').getAttribute('datetime')).toBe(approval.expiresAt);
    expect(await page.locator('#announcer').textContent()).toBe(
      `Your approval is needed. ${String(approval['summary'])}`,
    );
    expect((await holdings(user))[usdc]).toBe('250000000');

    await card.getByRole('button', { name: 'Approve' }).click();
    await card.getByText('Settled: the money has moved.').waitFor();
    expect(await card.getByRole('row').last().getByRole('cell').allTextContents()).toEqual(['250', '248.5']);
    await asset('USDC').getByText('248.5', { exact: true }).waitFor();

    const decided = await user.get<Approval>(`/approvals/${approval.id}`);
    expect(decided.body).toMatchObject({ status: 'approved', decidedBy: 'user' });
    const operation = await untilOperation(user, decided.body.operationId);
    expect(operation).toMatchObject({ status: 'settled', approvalId: approval.id });
    expect((await holdings(user))[usdc]).toBe('248500000');
    const { body: runs } = await user.get<Listed>('/agent-runs');
    expect(runs.data).toEqual([expect.objectContaining({ id: approval['runId'], status: 'completed', segment: 2 })]);
    expect(consoleErrors).toEqual([]);
    await close();
  });

  it('denies with a reason, by keyboard alone', async () => {
    const { page, say, asset, said, consoleErrors, close } = await visit(browser, example, 'Joan');
    const user = await example.userNamed('Joan');
    await say('withdraw 2 USDC');
    await page.getByRole('button', { name: 'Deny…' }).focus();
    const { id } = await pendingApproval(user);
    await page.keyboard.press('Enter');
    await page.keyboard.type('Not today');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('You said no. Nothing was done.').waitFor();
    await page.getByText('“Not today”').waitFor();
    expect(await page.locator('.approval h2').textContent()).toBe('Denied');
    expect((await user.get(`/approvals/${id}`)).body).toMatchObject({ status: 'denied', denialReason: 'Not today' });
    await until('the last word', async () => ((await said()).length === 2 ? true : null), seenWithinMs);
    expect((await user.get<Listed>('/financial-operations')).body.data).toEqual([]);
    expect((await holdings(user))[usdc]).toBe('250000000');
    await asset('USDC').getByText('250', { exact: true }).waitFor();
    expect(consoleErrors).toEqual([]);
    await close();
  });

  it('says in plain words why a message is not taken, and stops a run', async () => {
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
    const { page, say, consoleErrors, close } = await visit(browser, example, 'Edith');
    const user = await example.userNamed('Edith');
    await say(`repeat after me: ${'on and on '.repeat(20)}`);
    await page.locator('.said.agent[aria-busy="true"]').waitFor();
    await say('what is my balance');
    await page.getByRole('alert').getByText('The agent is still working on your last message.').waitFor();
    expect(await page.getByLabel('Message').inputValue()).toBe('what is my balance');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.note').getByText('Stopped').waitFor();
    const isStopped = async () => {
      const { body } = await user.get<Listed>('/agent-runs');
      return body.data[0]?.['status'] === 'aborted' ? body.data.length : null;
    };
    expect(await until('the end of the run', isStopped)).toBe(1);

    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.said.agent').getByText('You hold:').first().waitFor();
    // The refusal itself: browsers log every 4xx answer.
    expect(consoleErrors).toEqual([expect.stringContaining('status of 409')]);
    await close();
  });

  it('shows a budget that is used up in plain words', async () => {
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
    const { page, say, close } = await visit(browser, example, 'Mary');
    const user = await example.userNamed('Mary');
    // The run holds 25 of the day's 40 cents, which leaves less than another run would hold.
    const { body: held } = await start(user, await conversationOf(user), 'help');
    await say('help');
    await page.getByRole('alert').getByText('The budget for the agent is used up for now.').waitFor();
    await user.post(`/agent-runs/${held.runId}/abort`);
    await close();
  });

  it('asks for what belongs to no conversation as well', async () => {
    const { page, say, consoleErrors, close } = await visit(browser, example, 'Lise');
    const user = await example.userNamed('Lise');
    await say('when NEAR drops below $2 swap 10 USDC to NEAR');
    await page.getByRole('button', { name: 'Approve' }).click();
    const contract = page.getByRole('region', { name: 'Also waiting for you' });
    await contract.getByRole('button', { name: 'Approve' }).waitFor();
    const { id, fingerprint } = await pendingApproval(user);
    expect(await factOf(contract, 'Raw units')).toBe('10000000');
    expect(await factOf(contract, 'Fingerprint')).toBe(fingerprint);
    expect((await termsOf(contract)).filter((_, index) => index % 2 === 0)).toEqual([
      'What',
      'At most',
      'How often',
      'Until when',
      'When it acts',
      'To whom',
    ]);
    expect(await factOf(contract, 'At most')).toMatch(/^\$[\d.]+ each time and \$[\d.]+ in all$/);
    expect(await contract.locator('pre').isVisible()).toBe(false);
    await contract.getByRole('button', { name: 'Approve' }).click();
    await contract.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
    expect((await user.get(`/approvals/${id}`)).body).toMatchObject({
      kind: 'automation_contract',
      status: 'approved',
    });
    expect(consoleErrors).toEqual([]);
    await close();
  });

  it('works on a phone', async () => {
    const { page, say, said, close } = await visit(browser, example, 'Hedy');
    await page.setViewportSize({ width: 390, height: 844 });
    await say('repeat after me: small');
    await until('the answer', async () => ((await said()).at(-1) === 'small' ? true : null), seenWithinMs);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await page.locator('#wallet').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Conversations and wallet' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'repeat after me: small' }).waitFor();
    expect(await page.locator('#wallet').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('heading', { name: 'What can I do for you?' }).waitFor();
    await close();
  });

  it('keeps both credentials from the browser', async () => {
    const { page, say, origins, close } = await visit(browser, example, 'Rosalind');
    await say('repeat after me: <img src=x onerror="document.title=1"> is only text');
    await page.locator('.said.agent[aria-busy="false"]').waitFor();
    const inPage = String(await page.evaluate(keptInPage));
    expect(await page.title()).toBe('Harbour');
    expect(inPage).toContain('&lt;img src=x');
    expect([...origins]).toEqual([example.origin]);

    const secrets = example.secrets();
    expect(secrets.length).toBeGreaterThan(1);
    const answered = example.answeredToBrowsers();
    expect(answered).toContain('text/event-stream');
    for (const text of [answered, inPage, JSON.stringify(await page.context().storageState())]) {
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
      expect(text).not.toMatch(/\bpk_|\beyJ|bearer/i);
    }
    await close();
  });
});
