/** verify.html as auditors have it: a file in a browser, a receipt and keys, and no server. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { newOwner, prepare, usdc } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { signingKey, verifierKeyText } from '@app/transparency';
import { provenWithdrawal, type Proven } from '../verify/receipts';
import { browserTimeoutMs, openChromium } from './chromium';

const built = join(__dirname, '..', '..', 'libs', 'clients', 'verify', 'dist', 'verify.html');
const address = pathToFileURL(built).href;
const markup = `<img src="x" onerror="document.title = 'ran'"><script>document.title = 'ran'</script>`;

let deployment: Deployment;
let proven: Proven;
let browser: Browser;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  proven = await provenWithdrawal(deployment);
  browser = await openChromium();
}, browserTimeoutMs);
afterAll(async () => {
  await browser?.close();
  await deployment?.stop();
});

let page: Page;
let asked: string[];
let wrong: string[];
beforeEach(async () => {
  page = await browser.newPage();
  [asked, wrong] = [[], []];
  page.on('request', (request) => asked.push(request.url()));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('pageerror', (error) => wrong.push(String(error)));
  await page.goto(address);
});
afterEach(async () => {
  expect(await page.title()).toBe('Verify a receipt'); // no text of a receipt ran
  expect(wrong).toEqual([]);
  expect(asked).toEqual([address]);
  await page.close();
});

const inFile = (content: unknown, name = 'receipt.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
});
const choose = async (content: unknown) => page.getByLabel('Receipt file').setInputFiles(inFile(content));
const giveKeys = async ({ logKey, witnessKey }: Pick<Proven, 'logKey' | 'witnessKey'>) => {
  await page.getByLabel('Public keys of the log').fill(logKey);
  await page.getByLabel('Public keys of witnesses').fill(witnessKey);
};
const verdict = async (words: string) => page.getByRole('heading', { name: words }).waitFor();
const part = (name: string) =>
  page.locator('section.card').filter({ has: page.getByRole('heading', { name, exact: true }) });
const refused = async (words: string) => page.getByRole('alert').filter({ hasText: words }).waitFor();

describe('a receipt that holds', () => {
  it('is shown with what is proven, what was reviewed, decided and done, and the checkpoint with its witnesses', async () => {
    await giveKeys(proven);
    await choose(proven.receipt);
    await verdict('This receipt holds, and all of its events are in the log.');
    expect(await part('Proven').locator('li').count()).toBe(6);
    expect(await part('Not proven').count()).toBe(0);
    expect(await part('Not checked').count()).toBe(0);
    const { approval } = proven.receipt as { approval?: { summary: string; terms: { text: string }[] } };
    const reviewed = await part('What was reviewed').textContent();
    for (const text of [approval!.summary, ...approval!.terms.map((term) => term.text)])
      expect(reviewed).toContain(text);
    expect(await part('The decision').textContent()).toMatch(/Approved.*the user.*UTC/);
    expect(await part('What was done').textContent()).toMatch(/settled.*Withdrawal to the main account/);
    const checkpoint = await part('The checkpoint').textContent();
    expect(checkpoint).toContain(proven.receipt.proof.checkpoint.split('\n')[0]);
    expect(checkpoint).toMatch(/\d+ events.*witness\.example, at 2026-/);
  });

  it('holds as far as it was checked without keys, and wholly once they are pasted', async () => {
    await choose(proven.receipt);
    await verdict('This receipt holds as far as it was checked: the signature of the log was not.');
    expect(await part('Not checked').textContent()).toMatch(/no key of the log.*no key of a witness/);
    await giveKeys(proven);
    await verdict('This receipt holds, and all of its events are in the log.');
  });

  it('is judged first, in green; and in red where it does not hold', async () => {
    const judged = () =>
      page.evaluate<[string, string, boolean]>(`(() => {
        const verdict = document.getElementById('verdict');
        const [red, green] = getComputedStyle(verdict).color.match(/\\d+/g).map(Number);
        const isFirst = [...document.querySelectorAll('main > :not(h1, p)')].filter((one) => !one.hidden)[0].contains(verdict);
        return [verdict.textContent, red > green ? 'red' : 'green', isFirst];
      })()`);
    await giveKeys(proven);
    await choose(proven.receipt);
    await verdict('This receipt holds');
    expect(await judged()).toEqual([expect.stringMatching(/^This receipt holds/), 'green', true]);
    const [first, ...rest] = proven.receipt.proof.inclusions;
    const proof = { ...proven.receipt.proof, inclusions: [null, ...rest], complete: false };
    expect(first).not.toBeNull();
    await choose({ ...proven.receipt, proof });
    await verdict('This receipt does not hold.');
    expect(await judged()).toEqual(['This receipt does not hold.', 'red', true]);
    expect(await part('Wrong').textContent()).toContain('/proof/inclusions/0 is missing');
  });

  it('may be dropped anywhere, and another one pasted over it', async () => {
    const transfer = await page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([${JSON.stringify(JSON.stringify(proven.receipt))}], 'dropped.json'));
        return transfer;
      })()`,
    );
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });
    await page.getByText('Receipt: dropped.json').waitFor();
    await verdict('This receipt holds as far as it was checked');
    await page.getByLabel('Or the text of the receipt').fill('{}');
    await verdict('This receipt does not hold.');
    expect(await page.getByText('dropped.json').count()).toBe(0);
  });

  it('shows what its user wrote as text, whatever that is', async () => {
    const user = await newOwner(deployment);
    const { approvalId } = await prepare(user, usdc, '1');
    expect((await user.post(`/approvals/${approvalId}/deny`, { reason: markup })).status).toBe(200);
    const receipt = await until('a receipt with all proofs', async () => {
      const { body } = await user.get(`/approvals/${approvalId}/receipt`);
      return (body['proof'] as Proven['receipt']['proof'] & { complete: boolean }).complete ? body : null;
    });
    await page.getByLabel('Public keys of the log').fill(proven.logKey);
    await choose(receipt);
    await verdict('This receipt holds');
    expect(await part('The decision').textContent()).toContain(markup);
    expect(await page.locator('#report img, #report script').count()).toBe(0);
  });
});

describe('a receipt that does not hold', () => {
  it('is shown with where it is wrong: pointer, stream and revision', async () => {
    const { stream, revision } = proven.receipt.events[1]!;
    const events = proven.receipt.events.map((event, at) => (at === 1 ? altered(event) : event));
    await giveKeys(proven);
    await choose({ ...proven.receipt, events });
    await verdict('This receipt does not hold.');
    const words = await part('Wrong').textContent();
    expect(words).toContain('/events/1/dataSha256 is not the hash of the data');
    expect(words).toContain(`Event ${revision} of stream ${stream}`);
    await page.getByText('It does not hold.').waitFor();
  });

  it('is one of another log than that of the key', async () => {
    await giveKeys({ ...proven, logKey: verifierKeyText(signingKey('log', 'other', new Uint8Array(32).fill(3))) });
    await choose(proven.receipt);
    await verdict('This receipt does not hold.');
    expect(await part('Wrong').textContent()).toContain('is of another log than the given key');
  });

  it('shows hostile texts as texts, wherever they stand', async () => {
    const everywhere = JSON.parse(JSON.stringify(proven.receipt), (_, value: unknown) =>
      typeof value === 'string' && !/^[\w+/=-]+$/.test(value) ? `${markup}${value}` : value,
    );
    await choose({ ...everywhere, events: proven.receipt.events, proof: proven.receipt.proof });
    await verdict('This receipt does not hold.');
    expect(await part('What was reviewed').textContent()).toContain(markup);
    expect(await page.locator('#report img, #report script').count()).toBe(0);
  });
});

/** The event with one byte of its data changed. */
function altered<Event extends object>(event: Event): Event {
  const bytes = Buffer.from(String(Reflect.get(event, 'data')), 'base64');
  bytes[bytes.length - 2]! ^= 1;
  return { ...event, data: bytes.toString('base64') };
}

describe('what cannot be verified', () => {
  it('is refused in words', async () => {
    await page.getByRole('button', { name: 'Verify' }).click();
    await refused('Choose, drop or paste a receipt first.');
    await choose('no receipt');
    await refused('This is not JSON');
    await choose(`"${'a'.repeat(4 * 1024 * 1024)}"`);
    await refused('larger than 4 MB');
    await choose(proven.receipt);
    await page.getByLabel('Public keys of the log').fill('no key');
    await refused('Key 1 of the log is not a public key of a log.');
    await giveKeys(proven);
    await page.getByLabel('How many of these witnesses').fill('2');
    await refused('Of 1 witnesses, 0 to 1 can be asked for.');
  });

  it.each([
    ['deep', `{"events":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`],
    ['of many problems', `{"events":[${'{},'.repeat(1_000_000)}{}]}`],
  ])('does not hold up the page, though it is %s', async (_, text) => {
    await choose(text);
    await verdict('This receipt does not hold.');
    expect(await part('Wrong').locator('li').count()).toBeLessThanOrEqual(51);
  });
});

describe('the page', () => {
  it('works by the keyboard, and every input has its label', async () => {
    const unlabelled = `[...document.querySelectorAll('input, textarea')].filter(({ labels }) => labels.length !== 1).length`;
    expect(await page.evaluate(unlabelled)).toBe(0);
    await page.getByLabel('Or the text of the receipt').focus();
    await page.keyboard.insertText(JSON.stringify(proven.receipt));
    await page.keyboard.press('Tab');
    await page.keyboard.insertText(proven.logKey);
    for (const key of ['Tab', 'Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    await verdict('This receipt holds');
    expect(await page.evaluate('document.activeElement.id')).toBe('verdict');
  });

  it.each(['light', 'dark'] as const)('fits a phone, %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await giveKeys(proven);
    await choose(proven.receipt);
    await verdict('This receipt holds');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('is refused the network by its own policy', async () => {
    const calls: (string | undefined)[] = [];
    const server: Server = createServer(({ url }, response) => {
      calls.push(url);
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // Reason for the assertion: a server that listens on a port has such an address.
    const there = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const blocked = await page.evaluate<string[]>(`new Promise((resolve) => {
      const blocked = [];
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        blocked.push(effectiveDirective);
        if (blocked.length === 3) resolve(blocked.sort());
      });
      fetch('${there}/fetch').catch(() => undefined);
      new Image().src = '${there}/image';
      document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '${there}/style' }));
    })`);
    server.close();
    expect(blocked).toEqual(['connect-src', 'img-src', 'style-src-elem']);
    expect(calls).toEqual([]);
    [asked, wrong] = [[address], []]; // Chromium reports the requests tried here as complaints
  });
});
