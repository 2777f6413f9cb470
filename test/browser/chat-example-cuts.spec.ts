import type { Browser } from 'playwright-core';
import { type Approval, holdings, type Listed, untilOperation, usdc } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import { setTimeout as sleep } from 'node:timers/promises';
import { browserTimeoutMs, openChromium } from './chromium';
import { type ChatVisit, visitChat } from './chat-visit';
import { startExample, type Example } from './example';
import { seenWithinMs } from './visit';

const cutsWanted = process.env['FIGURES'] === 'full' ? 200 : 20;
/** The requests of useChat that are answered with a stream. */
const streams = ['/messages HTTP', '/answers HTTP', '/stream HTTP', '/watch HTTP'];
const pauseMs = 150;

jest.setTimeout(600_000);

describe('the unmodified useChat of examples/chat, in Chromium', () => {
  let deployment: Deployment;
  let example: Example;
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
    deployment = await startDeployment({ mode: 'in-process', env: { STREAMS_PER_USER: '100' } });
    example = await startExample(deployment, 'chat');
  }, browserTimeoutMs);

  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await deployment?.stop();
  });

  /** Cuts the streams again and again until `isThere` returns true; returns the number of cuts. */
  async function cutUntil(isThere: () => Promise<boolean>): Promise<number> {
    let cuts = 0;
    await until(
      'what is waited for',
      async () => {
        if (await isThere()) return true;
        cuts += example.cut(...streams);
        await sleep(pauseMs);
        return null;
      },
      seenWithinMs * 2,
    );
    return cuts;
  }

  const ended = (visit: ChatVisit) => visit.page.locator('.message[data-status="completed"]').count();

  it('survives cuts of its streams, and a reload in the middle of an approval: nothing is lost or doubled, money moves once', async () => {
    const user = await example.userNamed('Ada');
    const visit = await visitChat(browser, example, 'Ada');
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 2_500 } });
    let cuts = 0;
    let rounds = 0;
    const wanted: string[] = [];
    for (; cuts < cutsWanted || rounds < 2; rounds += 1) {
      const words = `round ${rounds} is told word by word and every word of it comes once`;
      wanted.push(`repeat after me: ${words}`, words);
      await visit.say(`repeat after me: ${words}`);
      cuts += await cutUntil(async () => (await ended(visit)) === rounds + 1);
      expect(await visit.said()).toEqual(wanted);
      await visit.page.getByRole('button', { name: 'Send' }).waitFor();
    }

    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 600 } });
    await visit.say('withdraw 1.5 USDC');
    cuts += await cutUntil(() => visit.question.isVisible());
    const [approval] = (await user.get<Listed<Approval>>('/approvals')).body.data;
    const terms = await visit.question.locator('.terms').innerText();
    await visit.page.reload();
    await visit.question.waitFor();
    expect(await visit.question.locator('.terms').innerText()).toBe(terms);
    expect(await visit.question.getAttribute('data-approval')).toBe(approval?.id);

    await visit.question.getByRole('button', { name: 'Approve' }).click();
    const settled = visit.page.getByText('Settled: the money has moved.');
    cuts += await cutUntil(async () => (await settled.count()) > 0 && (await ended(visit)) === rounds + 1);
    wanted.push('withdraw 1.5 USDC', 'The transfer is on its way. What comes of it is reported apart.');
    const expectAll = async () => {
      expect(await visit.said()).toEqual(wanted);
      expect(await visit.page.locator('.approval').count()).toBe(1);
      expect(await visit.page.locator('.settlement').count()).toBe(1);
      expect(await settled.count()).toBe(1);
    };
    await expectAll();
    await visit.page.reload();
    await settled.waitFor();
    await expectAll();

    expect((await user.get(`/approvals/${approval?.id}`)).body).toMatchObject({
      status: 'approved',
      decidedBy: 'user',
    });
    const operations = (await user.get<Listed<{ id: string }>>('/financial-operations')).body.data;
    expect(operations).toHaveLength(1);
    await untilOperation(user, operations[0]?.id ?? '');
    expect((await holdings(user))[usdc]).toBe('248500000');
    expect((await user.get<Listed>('/agent-runs')).body.data).toHaveLength(rounds + 1);
    process.stdout.write(
      `useChat in Chromium: ${cuts} cuts and 2 reloads over ${rounds + 1} answers: nothing lost, nothing twice\n`,
    );
    expect(cuts).toBeGreaterThanOrEqual(cutsWanted);
    expect(visit.faults).toEqual([]);
    expect([...visit.origins]).toEqual([example.origin]);
    const answered = example.answeredToBrowsers();
    for (const secret of example.secrets()) expect(answered).not.toContain(secret);
    await visit.close();
  });

  it('loses no answer to an approval whose connection breaks before it arrives', async () => {
    const user = await example.userNamed('Grace');
    const visit = await visitChat(browser, example, 'Grace');
    await visit.say('withdraw 2 USDC');
    await visit.question.waitFor();
    await example.kill();
    await visit.question.getByRole('button', { name: 'Approve' }).click();
    await visit.page.getByText('Sending your answer…').waitFor();
    expect((await user.get<Listed>('/approvals')).body.data).toHaveLength(1);
    await example.start();
    // The example has lost its sessions; after signing in again, the user finds the question.
    await visit.page.getByText('Your session is over. Please sign in again.').waitFor();
    await visit.page.getByLabel('Your name').fill('Grace');
    await visit.page.keyboard.press('Enter');
    await visit.question.getByRole('button', { name: 'Approve' }).click();
    await visit.page.getByText('Settled: the money has moved.').waitFor();
    expect((await holdings(user))[usdc]).toBe('248000000');
    expect(visit.faults).toEqual([]);
    await visit.close();
  });
});
