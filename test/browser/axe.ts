import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

/** The violations that axe finds, as `rule: element`. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>('axe.run(document)');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
