import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { chromium } from 'playwright-core';

/** For `beforeAll` and tests with a browser: on a fresh machine the first of them installs Chromium. */
export const browserTimeoutMs = 900_000;

const script = path.join(__dirname, '..', '..', 'scripts', 'browser.mjs');
/** The browser only loads pages of this machine: no updates, no sync, no requests to Google's hosts. */
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * A headless Chromium with a new, empty profile; the caller closes it. Installs the browser first if it is missing (scripts/browser.mjs).
 * @throws if there is none and none can be installed, because a browser test is never skipped
 */
export async function openChromium(): Promise<Browser> {
  const { stdout } = await promisify(execFile)(process.execPath, [script]);
  return chromium.launch({
    executablePath: stdout.trim(),
    args: flags,
    headless: true,
    timeout: browserTimeoutMs,
  });
}
