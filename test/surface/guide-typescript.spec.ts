/** The TypeScript blocks that accompany the guides' commands, one module per guide, run in the sandbox's folder. */
import { execFile, type ExecFileException } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Sandbox, startSandbox } from '@app/testing/processes';
import { PackedProject } from '../client/packed';
import { commandBlocks, guides as pasted } from './guide-commands';
import { agentsOfGuide } from './guide-variables';
import { moduleOf, promised, typescriptBlocks, unprinted } from './guide-typescript';

const run = promisify(execFile);
/** The guide to webhooks has no TypeScript, because it concerns an operator and a receiver. */
const guides = pasted.filter((guide) => guide !== 'webhooks');
const withinMs = 300_000;

let sandbox: Sandbox;
let project: PackedProject;

beforeAll(async () => {
  sandbox = await startSandbox(agentsOfGuide());
  project = await PackedProject.create();
  for (const guide of guides) await project.write(`${guide}.mts`, moduleOf(guide));
  // Compiled together, because each run of the compiler reads the same libraries.
  await project.compile(
    guides.map((guide) => `${guide}.mts`),
    'node16',
  );
}, withinMs);
afterAll(async () => {
  await project?.remove();
  await sandbox?.stop();
});

/** The output of a module. Throws its errors if it fails. */
async function printedBy(guide: string): Promise<string> {
  const { stdout } = await run(process.execPath, [join(project.folder, `${guide}.mjs`)], {
    cwd: sandbox.folder,
    env: { PATH: process.env['PATH'] ?? '' },
    timeout: withinMs,
  }).catch((failed: ExecFileException) => {
    throw new Error(`${guide} failed:\n${failed.stdout}${failed.stderr}`);
  });
  return stdout;
}

describe('the TypeScript of the guides', () => {
  it.each(guides)(
    'of "%s" compiles strictly, runs, and prints what its comments say',
    async (guide) => {
      const output = await printedBy(guide);
      expect({ missing: unprinted(promised(moduleOf(guide)), output), output }).toEqual({ missing: [], output });
    },
    withinMs,
  );

  it.each(guides)('stands beside each command of "%s"', (guide) => {
    // Checking a webhook's signature by hand has programs of its own, further down.
    const bare = commandBlocks(guide).filter(
      ({ hasTypescript, commands }) => !hasTypescript && !/^SIGNATURE=/m.test(commands),
    );
    expect(bare.map(({ commands }) => commands)).toEqual([]);
    expect(typescriptBlocks(guide).length).toBeGreaterThan(2);
  });
});

describe('what is held against a guide', () => {
  const code = "console.log(a); // one … three\nconsole.log(b); // 4\nconsole.log('http://five');";

  it('is what its comments promise, in their order', () => {
    expect(promised(code)).toEqual(['one … three', '4']);
    expect(unprinted(promised(code), 'one two three\nother\n4')).toEqual([]);
    expect(unprinted(promised(code), '4\none two three')).toEqual(['4']);
    expect(unprinted(promised(code), 'one two three 3\n4')).toEqual(['one … three']);
  });
});
