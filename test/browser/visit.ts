import type { Browser, Locator, Page } from 'playwright-core';
import type { Example } from './example';

/** Generous, because a crowded machine may pause for a while. */
export const seenWithinMs = 60_000;

/** A user signed in to the example in a browser of their own. */
export interface Visit {
  readonly page: Page;
  /** All errors on the console, failed requests included. */
  readonly consoleErrors: readonly string[];
  /** Every origin that the page sent a request to. */
  readonly origins: ReadonlySet<string>;
  /** The messages of user and agent, in the order of the page. */
  said(): Promise<readonly string[]>;
  say(text: string): Promise<void>;
  /** The wallet's line for this asset. */
  asset(symbol: string): Locator;
  close(): Promise<void>;
}

const viewport = { width: 1180, height: 780 };

/**
 * Opens the example in a browser without cookies, and signs in. Visits share the browser's page one after the other, because a new page
 * takes a second.
 */
export async function visit(browser: Browser, example: Example, name: string): Promise<Visit> {
  // Without a graphics card, blinking elements would be drawn sixty times a second.
  const context = browser.contexts()[0] ?? (await browser.newContext({ reducedMotion: 'reduce' }));
  context.setDefaultTimeout(seenWithinMs);
  const page = context.pages()[0] ?? (await context.newPage());
  await context.clearCookies();
  await page.setViewportSize(viewport);
  const consoleErrors: string[] = [];
  const origins = new Set<string>();
  page.on('console', (message) => message.type() === 'error' && consoleErrors.push(message.text()));
  page.on('pageerror', (error) => consoleErrors.push(String(error.stack)));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(example.origin);
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'What can I do for you?' }).waitFor();
  return {
    page,
    consoleErrors,
    origins,
    said: () => page.locator('#log .said .text').allTextContents(),
    async say(text) {
      await page.getByLabel('Message').fill(text);
      await page.keyboard.press('Enter');
    },
    asset: (symbol) => page.locator('#wallet li').filter({ has: page.getByText(symbol, { exact: true }) }),
    async close() {
      page.removeAllListeners();
      expect(await page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
      await page.goto('about:blank');
    },
  };
}

/** Records from now on the text of the streaming message after each change, in `glimpses`. */
export async function watchWords(page: Page): Promise<void> {
  // A string, because tests are compiled without the types of the DOM.
  await page.evaluate(`
    window.glimpses = [];
    new MutationObserver(() => {
      const text = document.querySelector('.said.agent[aria-busy="true"] .text')?.textContent;
      if (text !== undefined && window.glimpses.at(-1) !== text) window.glimpses.push(text);
    }).observe(document.getElementById('log'), { subtree: true, childList: true, characterData: true, attributes: true });
  `);
}

export async function glimpses(page: Page): Promise<readonly string[]> {
  return page.evaluate<string[]>('window.glimpses');
}

/** Evaluated in the page: every place where something could be kept. */
export const keptInPage = `
  JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]) + document.documentElement.outerHTML
`;
