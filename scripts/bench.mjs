// npm run bench: prepares the product and the baselines (packages of their own, outside the product's lock file), then runs
// test/bench/run.mjs with the arguments given.
import './node-version.mjs';
import path from 'node:path';
import { readOptions, usage } from '../test/bench/options.mjs';
import { checkArguments } from './arguments.mjs';
import { prepare, prepareFolder } from './prepare.mjs';
import { root, runScript, runTool } from './tool.mjs';

checkArguments(usage, readOptions);

const benchFolder = path.join(root, 'test', 'bench');

await runScript(async () => {
  const runner = path.join(benchFolder, 'run.mjs');
  await prepare({ build: true });
  // None of them needs its install scripts, and some of those only report home.
  await prepareFolder(benchFolder, ['--ignore-scripts']);
  const { exitCode } = await runTool(process.execPath, [runner, ...process.argv.slice(2)], { inherit: true });
  return exitCode;
});
