import type { Browser, Locator, Page } from 'playwright-core';
import { violationsOn } from './axe';
import type { Example } from './example';
import { seenWithinMs } from './visit';

/** Sizes of the page that are checked. */
export const viewports = { desktop: { width: 1180, height: 780 }, phone: { width: 390, height: 780 } } as const;

/** A user signed in to examples/chat in a browser of their own. */
export interface ChatVisit {
  readonly page: Page;
  /** Errors that scripts threw, and loads that the page's policy refused. */
  readonly faults: readonly string[];
  /** Every origin that the page sent a request to. */
  readonly origins: ReadonlySet<string>;
  /** The card that asks for consent. */
  readonly question: Locator;
  /** The messages so far, of user and agent in turns. */
  said(): Promise<readonly string[]>;
  say(text: string): Promise<void>;
  /** All violations that axe finds on the page in its current state. */
  violations(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function visitChat(
  browser: Browser,
  example: Example,
  name: string,
  colorScheme: 'light' | 'dark' = 'light',
): Promise<ChatVisit> {
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: viewports.desktop, colorScheme });
  context.setDefaultTimeout(seenWithinMs);
  const page = await context.newPage();
  const faults: string[] = [];
  const origins = new Set<string>();
  page.on('pageerror', (error) => faults.push(String(error.stack)));
  page.on('console', (message) => /Content Security Policy/.test(message.text()) && faults.push(message.text()));
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(example.origin);
  await page.getByLabel('Your name').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'What can I do for you?' }).waitFor();
  return {
    page,
    faults,
    origins,
    question: page.locator('.approval[data-state="approval-requested"]'),
    said: () => page.locator('.message .text').allTextContents(),
    async say(text) {
      await page.getByLabel('Message').fill(text);
      await page.keyboard.press('Enter');
    },
    violations: () => violationsOn(page),
    close: () => context.close(),
  };
}
