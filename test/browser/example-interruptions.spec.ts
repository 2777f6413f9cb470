import type { Browser } from 'playwright-core';
import type { Listed } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { until } from '@app/testing/until';
import { browserTimeoutMs, openChromium } from './chromium';
import { startExample, type Example } from './example';
import { seenWithinMs, visit, type Visit } from './visit';

const testTimeoutMs = 300_000;
/** A step of the model, long enough to be interrupted. */
const slowly = { model: { delayMs: 8_000 } };
const words = 'whatever breaks in between, every word of this is told once and in order';

jest.setTimeout(testTimeoutMs);

describe('the example, interrupted', () => {
  let deployment: Deployment;
  let example: Example;
  let browser: Browser;

  beforeAll(async () => {
    browser = await openChromium();
    deployment = await startDeployment({ mode: 'processes' });
    example = await startExample(deployment);
    await deployment.sandbox('PUT', 'faults', slowly);
  }, browserTimeoutMs);

  afterAll(async () => {
    await browser?.close();
    await example?.stop();
    await deployment?.stop();
  });

  /** Asks for the words, and waits until the agent begins to answer. */
  async function beginToHear({ page, say }: Visit): Promise<void> {
    await say(`repeat after me: ${words}`);
    await page.locator('.said.agent[aria-busy="true"]').waitFor();
  }

  /** Expects the page to show the request and the whole answer, each once, and nothing else. */
  async function expectAllHeard({ said }: Visit): Promise<void> {
    const whole = [`repeat after me: ${words}`, words];
    const isWhole = async () => ((await said()).join('\n') === whole.join('\n') ? true : null);
    await until('the whole answer', isWhole, seenWithinMs);
  }

  it('misses nothing and repeats nothing when it is reloaded in the middle of a run', async () => {
    const ada = await visit(browser, example, 'Ada');
    await beginToHear(ada);
    await ada.page.reload();
    await expectAllHeard(ada);
    await ada.page.reload();
    await expectAllHeard(ada);
    expect(ada.consoleErrors).toEqual([]);
    await ada.close();
  });

  it('goes on when the api is killed in the middle of a run and starts again', async () => {
    const grace = await visit(browser, example, 'Grace');
    const user = await example.userNamed('Grace');
    await beginToHear(grace);
    const [api] = deployment.apis;
    await api?.kill();

    await grace.say('what is my balance');
    await grace.page.getByRole('alert').getByText('does not answer at the moment').waitFor();
    expect(await grace.page.getByLabel('Message').inputValue()).toBe('what is my balance');
    await api?.start();
    await expectAllHeard(grace);

    await grace.page.getByRole('button', { name: 'Send' }).click();
    await grace.page.locator('.said.agent').getByText('You hold:').first().waitFor();
    expect((await user.get<Listed>('/agent-runs')).body.data).toHaveLength(2);
    await until('the end', async () => ((await grace.said()).length === 4 ? true : null), seenWithinMs);
    // While the api was away the backend answered with 503; there were no other errors.
    const others = grace.consoleErrors.filter((error) => !error.includes('status of 503'));
    expect(others).toEqual([]);
    await grace.close();
  });

  it('asks to sign in again when the example itself was killed, and goes on where it was', async () => {
    const joan = await visit(browser, example, 'Joan');
    await beginToHear(joan);
    await example.kill();
    await joan.page.getByText('Connection lost. Reconnecting…').waitFor();
    await example.start();
    await joan.page.getByText('Your session is over. Please sign in again.').waitFor();
    await joan.page.getByLabel('Your name').fill('Joan');
    await joan.page.getByRole('button', { name: 'Sign in' }).click();
    await expectAllHeard(joan);
    await joan.close();
  });

  it('reads no stream any more when the browser is gone, or the session is over', async () => {
    await until('the end of all streams', async () => (example.openStreams() === 0 ? true : null));
    const hedy = await visit(browser, example, 'Hedy');
    await beginToHear(hedy);
    expect(example.openStreams()).toBe(1);
    await hedy.page.goto('about:blank');
    await until('the end of the stream', async () => (example.openStreams() === 0 ? true : null));
    await hedy.page.goBack();
    await expectAllHeard(hedy);
    expect(example.openStreams()).toBe(1);

    // The user signs out in another tab, and this one notices.
    const answer = await hedy.page.request.delete(`${example.origin}/api/session`, {
      headers: { origin: example.origin },
    });
    expect(answer.status()).toBe(204);
    await hedy.page.getByText('Your session is over. Please sign in again.').waitFor();
    expect(example.openStreams()).toBe(0);
    expect((await hedy.page.request.get(`${example.origin}/api/conversations`)).status()).toBe(401);
    await hedy.close();
  });
});
