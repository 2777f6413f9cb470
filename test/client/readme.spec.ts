import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { PackedProject } from './packed';

const withinMs = 180_000;

let deployment: Deployment;
let project: PackedProject;
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  // Live words are not repeated, so the tour's stream must be open before the first of them.
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 3_000 }, provider: { settleAfterSeconds: 0 } });
  project = await PackedProject.create();
}, withinMs);
afterAll(async () => {
  await project.remove();
  await deployment.stop();
});

/** The snippets of the package's README, in their order. */
async function snippets(): Promise<string[]> {
  const text = await readFile(join(__dirname, '..', '..', 'libs', 'clients', 'client', 'README.md'), 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

describe('the README of the package', () => {
  it(
    'has snippets that compile strictly, and do what it says, one after the other',
    async () => {
      const all = await snippets();
      expect(all.length).toBeGreaterThanOrEqual(7);
      await project.write('tour.mts', all.join('\n'));
      await project.compile(['tour.mts'], 'node16');
      const user = await deployment.newUser();
      const printed = await project.node('tour.mjs', {
        PARLEY_BASE_URL: user.baseUrl,
        PARLEY_PARTNER_KEY: user.partnerKey,
        PARLEY_USER_TOKEN: user.token,
      });
      expect(printed).toMatch(/^hello Parley ?\ncompleted: hello Parley$/m);
      expect(printed).toMatch(/1\.5 USDC.* sha256:[0-9a-f]{64}$/m);
      expect(printed).toMatch(/^Hello false$/m);
      expect(printed).toMatch(/^settled$/m);
      expect(printed).toMatch(/^[0-9a-f-]{36} completed \d+$/m);
      expect(printed).toMatch(/^400 invalid_input \/input\/text$/m);
      expect(printed).toMatch(/^user-[0-9a-f-]{36}$/m);
      expect(printed).toMatch(/^202 true$/m);
    },
    withinMs,
  );
});
