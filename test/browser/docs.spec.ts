import type { Browser, Page } from 'playwright-core';
import { type Sandbox, startSandbox } from '@app/testing/processes';
import { specifiedEvents, specifiedOperations } from '../surface/specified';
import { violationsOn } from './axe';
import { browserTimeoutMs, openChromium } from './chromium';

const shownWithinMs = 90_000;
const viewport = { width: 1400, height: 900 };
const guides = ['first-run', 'approvals', 'withdrawals', 'automations', 'webhooks', 'feed', 'streaming', 'errors'];

let sandbox: Sandbox;
let browser: Browser;

beforeAll(async () => {
  sandbox = await startSandbox();
  browser = await openChromium();
}, browserTimeoutMs);

afterAll(async () => {
  await browser?.close();
  await sandbox?.stop();
});

/** A page, and its faults: complaints on the console, errors, requests to other hosts. */
interface Watched {
  readonly page: Page;
  readonly complaints: string[];
}

async function open(path: string): Promise<Watched> {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(shownWithinMs);
  const complaints: string[] = [];
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const url = request.url();
    const isOwn = url.startsWith(`${sandbox.access.baseUrl}/`) || url.startsWith('data:') || url.startsWith('blob:');
    if (!isOwn) complaints.push(`asks ${url}`);
  });
  await page.goto(`${sandbox.access.baseUrl}${path}`);
  return { page, complaints };
}

/** Opens the form of an operation, sends the request unchanged, and closes the form when it shows the answer. Returns the status. */
async function send(page: Page, method: string, path: string): Promise<number> {
  await page
    .locator('button', { hasText: 'Test Request' })
    .filter({ hasText: `${method} ${path})` })
    .first()
    .click();
  const url = `${sandbox.access.baseUrl}${path.replace('{userId}', sandbox.access.userId)}`;
  const answered = page.waitForResponse((response) => response.url() === url);
  await page.getByRole('button', { name: /^Send/ }).last().click();
  const status = (await answered).status();
  await page.getByText(`${status} OK`).last().waitFor(); // closing the form earlier would cancel its request
  await page.keyboard.press('Escape');
  return status;
}

describe('the reference in a browser', () => {
  /** One page for all tests of it, because loading it takes longer than the tests. */
  let reference: Watched;
  beforeAll(async () => void (reference = await open('/docs#tag/users/GET/v1/users/me')), browserTimeoutMs);
  afterEach(() => void reference.complaints.splice(0));
  afterAll(() => reference?.page.close());

  it(
    "sends a request with the sandbox's credentials, and shows the 200",
    async () => {
      const { page, complaints } = reference;
      expect(await send(page, 'get', '/v1/users/me')).toBe(200);
      expect(complaints).toEqual([]);
    },
    browserTimeoutMs,
  );

  it(
    "fills in the sandbox's user where a path asks for one",
    async () => {
      const { page, complaints } = reference;
      await page.goto(`${sandbox.access.baseUrl}/docs#tag/wallets/POST/v1/users/{userId}/wallet`);
      expect(await send(page, 'post', '/v1/users/{userId}/wallet')).toBe(200);
      expect(complaints).toEqual([]);
    },
    browserTimeoutMs,
  );

  it(
    'lists every operation, and finds runs.start',
    async () => {
      const { page, complaints } = reference;
      const described = await (await fetch(`${sandbox.access.baseUrl}/openapi.json`)).json();
      const summaries = new Map<string, string>(
        Object.values<Record<string, { operationId: string; summary: string }>>(described.paths)
          .flatMap((item) => Object.values(item))
          .map(({ operationId, summary }) => [operationId, summary]),
      );
      const closed = page.getByRole('button', { name: /^Open Group - / });
      await closed.first().waitFor();
      while ((await closed.count()) > 0) await closed.first().click();
      const listed = (await page.locator('aside').allInnerTexts()).join('\n');
      const names = specifiedOperations.map((line) => line.split(' ')[0] ?? '');
      expect(names.filter((name) => !listed.includes(summaries.get(name) ?? `no summary: ${name}`))).toEqual([]);

      await page
        .getByRole('button', { name: /Search/ })
        .first()
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.locator('input').fill('runs.start');
      await dialog.getByText('/v1/users/{userId}/agent-runs').first().click();
      await page.waitForURL(/#.*agent-runs/);
      expect(complaints).toEqual([]);
    },
    browserTimeoutMs,
  );
});

describe('the pages of /docs', () => {
  it(
    'show every guide, with links that resolve',
    async () => {
      const { page, complaints } = await open('/docs/guides/first-run');
      for (const guide of guides) {
        await page.goto(`${sandbox.access.baseUrl}/docs/guides/${guide}`);
        expect(await page.locator('h1').count()).toBe(1);
        const links = await page
          .locator('a[href]')
          .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
        for (const link of new Set(links.filter((href) => href.startsWith(sandbox.access.baseUrl)))) {
          expect({ link, status: (await fetch(link)).status }).toEqual({ link, status: 200 });
        }
      }
      await page.getByRole('button', { name: 'Copy' }).first().waitFor();
      expect(complaints).toEqual([]);
      await page.close();
    },
    browserTimeoutMs,
  );

  it(
    'describe every event of the journal and that of the feed, each with an example',
    async () => {
      const { page, complaints } = await open('/docs/events');
      const described = [...specifiedEvents, 'feed.event'].sort();
      expect((await page.locator('h2 code').allInnerTexts()).sort()).toEqual(described);
      expect(await page.locator('section').filter({ hasText: 'Example' }).count()).toBe(described.length);
      expect(complaints).toEqual([]);
      await page.close();
    },
    browserTimeoutMs,
  );

  it(
    'list the guides and the documents without JavaScript',
    async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(`${sandbox.access.baseUrl}/docs`);
      const links = await page.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
      expect(links).toEqual(
        expect.arrayContaining(['/openapi.json', ...guides.map((guide) => `/docs/guides/${guide}`)]),
      );
      await context.close();
    },
    browserTimeoutMs,
  );
});

describe('the pages of /docs, for whoever sees little, hears them, or has no mouse', () => {
  const pages = ['/docs#tag/runs/POST/v1/users/{userId}/agent-runs', '/docs/events', '/docs/guides/first-run'];

  it.each(['light', 'dark'] as const)(
    'have no violation that axe finds (%s)',
    async (colorScheme) => {
      // axe is injected, and the page's policy would block it.
      const context = await browser.newContext({ colorScheme, viewport, bypassCSP: true });
      for (const path of pages) {
        const page = await context.newPage();
        page.setDefaultTimeout(shownWithinMs);
        await page.goto(`${sandbox.access.baseUrl}${path}`);
        if (path.startsWith('/docs#')) await page.locator('.scalar-code-copy[aria-label]').first().waitFor();
        expect({ path, violations: await violationsOn(page) }).toEqual({ path, violations: [] });
        await page.close();
      }
      await context.close();
    },
    browserTimeoutMs,
  );

  it(
    'have their copy buttons beside the code, within reach of the keyboard',
    async () => {
      for (const [path = '', block = ''] of [
        [pages[0], '.scalar-code-block:has(> .scalar-code-copy)'],
        [pages[2], '.command'],
      ]) {
        const { page } = await open(path);
        const shown = page.locator(block).first();
        await shown.getByRole('button').focus();
        const button = await shown.getByRole('button').boundingBox();
        const code = await shown.locator('> :not(button)').boundingBox();
        expect(button?.x).toBeGreaterThanOrEqual((code?.x ?? Infinity) + (code?.width ?? 0));
        // No part of the button, its background included, covers the code.
        const covering = await shown.evaluate((place) => {
          const within = (part: Element, outer: Element) => {
            const [inside, around] = [part.getBoundingClientRect(), outer.getBoundingClientRect()];
            return inside.left >= around.left - 8 && inside.right <= around.right + 8;
          };
          return [...place.querySelectorAll('button')].flatMap((one) =>
            [...one.querySelectorAll('*')]
              .filter((part) => part.getBoundingClientRect().width > 1 && !within(part, one))
              .map((part) => part.className.toString()),
          );
        });
        expect(covering).toEqual([]);
        await page.close();
      }
    },
    browserTimeoutMs,
  );
});

describe('the credentials of the sandbox', () => {
  /** The page as served for another `Host`. */
  const asked = async (host: string, baseUrl = sandbox.access.baseUrl) => {
    const { request } = await import('node:http');
    return new Promise<{ page: string; headers: Record<string, unknown> }>((resolve, reject) => {
      const sent = request(`${baseUrl}/docs`, { headers: { host } }, (answer) => {
        let page = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (page += chunk));
        answer.on('end', () => resolve({ page, headers: answer.headers }));
      });
      sent.on('error', reject).end();
    });
  };

  it('are on the page for this machine only, and never kept', async () => {
    const own = await asked(new URL(sandbox.access.baseUrl).host);
    expect(own.page).toContain(sandbox.access.userToken);
    expect(own.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(own.headers['content-security-policy']).toContain("script-src 'self'; ");
    expect((await asked('evil.example')).page).not.toContain(sandbox.access.partnerKey);
  });

  it('lead from localhost to the base URL, from where requests pass', async () => {
    const { headers } = await asked(`localhost:${new URL(sandbox.access.baseUrl).port}`);
    expect(headers['location']).toBe(`${sandbox.access.baseUrl}/docs`);
  });
});
