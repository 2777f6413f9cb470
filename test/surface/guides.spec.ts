import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfiguration } from '@app/settings';
import { type Sandbox, startSandbox } from '@app/testing/processes';
import { parleyMain } from '../deployment/cli';
import { agentsOfGuide, variablesOf } from './guide-variables';
import { commandBlocks, differences, guides, runBlocks, type BlockRun, type CommandBlock } from './guide-commands';

const guideWithinMs = 240_000;

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(agentsOfGuide());
  // As in the project's folder, in which the guides' commands are meant to be pasted.
  await symlink(join(__dirname, '..', '..', 'node_modules'), join(sandbox.folder, 'node_modules'));
  await mkdir(join(sandbox.folder, 'scripts'));
  const becomesBuild = `import { Module } from 'node:module';\nprocess.argv[1] = '${parleyMain}';\nModule.runMain();\n`;
  await writeFile(join(sandbox.folder, 'scripts', 'parley.mjs'), becomesBuild);
}, 120_000);
afterAll(() => sandbox?.stop());

/** The block with the credentials, which every guide asks the reader to paste first. */
const [credentials] = commandBlocks('first-run').map(({ commands }) => commands);

describe('the commands of the guides', () => {
  let count = 0;

  it.each(guides)(
    'of "%s" work when pasted, and answer what it says',
    async (guide) => {
      const blocks = commandBlocks(guide);
      const setUp = guide === 'first-run' ? [] : [credentials ?? ''];
      const runs = await runBlocks(
        sandbox.folder,
        [...setUp, ...blocks.map(({ commands }) => commands)],
        guideWithinMs,
      );
      const wrong = blocks.flatMap((block, index) => complaints(block, runs[setUp.length + index]));
      expect(wrong).toEqual([]);
      count += blocks.filter(({ status }) => status !== null).length;
    },
    guideWithinMs + 30_000,
  );

  afterAll(() => process.stdout.write(`guides: ${count} command blocks answered as stated\n`));
});

it('the variables of "models-and-agents" are ones that a service starts with', () => {
  const { env } = readConfiguration(variablesOf('models-and-agents'));
  expect(env.MODEL_FALLBACKS.map(({ name }) => name)).toEqual(['small', 'spare']);
  expect(env.AGENTS.map(({ name, version }) => `${name}@${version}`)).toEqual(['clerk@1', 'clerk@2']);
});

function complaints({ commands, status, sample }: CommandBlock, run: BlockRun | undefined): string[] {
  const asks = /\b(call|operator|feed|curl) -|\b(call|operator|feed) "/.test(commands);
  if (!asks || /^(call|operator)\(\)/m.test(commands)) return [];
  if (status === null || run === undefined) return [`the guide states no status for:\n${commands}`];
  const { statuses, output } = run;
  const polled = statuses.slice(0, -1).every((one) => one >= 200 && one < 300);
  if (statuses.at(-1) !== status || !polled) {
    return [`${statuses.join(', ')} instead of ${status} for:\n${commands}\n${output}`];
  }
  if (sample === null) return [];
  const answer: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  return differences(sample, answer).map((pointer) => `${pointer} is not as shown, for:\n${commands}\n${output}`);
}
