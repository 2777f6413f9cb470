/** The documentation pages by resource, and the examples in them. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { promised, unprinted } from '../surface/guide-typescript';
import { PackedProject } from './packed';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const client = join(root, 'libs', 'clients', 'client');
const withinMs = 300_000;
/** The code that precedes every example. */
const given = `import { ParleyClient } from '@parley/client';
const parley = new ParleyClient({
  baseUrl: process.env['PARLEY_BASE_URL'] ?? '',
  partnerKey: process.env['PARLEY_PARTNER_KEY'] ?? '',
  userToken: process.env['PARLEY_USER_TOKEN'] ?? '',
});
`;

let deployment: Deployment;
let project: PackedProject;
const examples = new Map<string, string>();
beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 }, provider: { settleAfterSeconds: 0 } });
  project = await PackedProject.create();
  for (const file of await readdir(join(client, 'examples'))) {
    examples.set(basename(file, '.mts'), await readFile(join(client, 'examples', file), 'utf8'));
  }
  for (const [name, code] of examples) await project.write(`${name}.mts`, given + code);
  await project.compile(
    [...examples.keys()].map((name) => `${name}.mts`),
    'node16',
  );
}, withinMs);
afterAll(async () => {
  await project?.remove();
  await deployment?.stop();
});

describe('the pages of the client', () => {
  it('are those that `npm run docs` writes, one for each resource', async () => {
    const program =
      "import { clientPages } from './scripts/client-pages.mjs'; console.log(JSON.stringify(clientPages()));";
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program], { cwd: root });
    // Reason for the assertion: this is the program's output.
    const made = JSON.parse(stdout) as Record<string, string>;
    expect((await readdir(join(client, 'docs'))).sort()).toEqual(Object.keys(made).sort());
    for (const [name, text] of Object.entries(made)) {
      expect([name, await readFile(join(client, 'docs', name), 'utf8')]).toEqual([name, text]);
    }
    const readme = await readFile(join(client, 'README.md'), 'utf8');
    expect(Object.keys(made).filter((name) => !readme.includes(`(docs/${name})`))).toEqual([]);
  });

  it(
    'have examples that compile strictly, run, and print what their comments say',
    async () => {
      for (const [name, code] of examples) {
        const user = await deployment.newUser();
        const output = await project.node(`${name}.mjs`, {
          PARLEY_BASE_URL: user.baseUrl,
          PARLEY_PARTNER_KEY: user.partnerKey,
          PARLEY_USER_TOKEN: user.token,
        });
        expect({ name, missing: unprinted(promised(code), output), output }).toEqual({ name, missing: [], output });
      }
    },
    withinMs,
  );
});
