// npm run bench: prepares the product and the baselines (packages of their own, outside the product's lock file), then runs test/bench/run.mjs with the arguments given.
import './node-version.mjs';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { prepare, prepareFolder } from './prepare.mjs';
import { StepFailed, root, runScript, runTool } from './tool.mjs';

const benchFolder = path.join(root, 'test', 'bench');

await runScript(async () => {
  const runner = path.join(benchFolder, 'run.mjs');
  if (!existsSync(runner)) throw new StepFailed(`${path.relative(root, runner)} does not exist`, '');
  await prepare({ build: true });
  // The baselines disagree about their peers (see the stack notes), hence the flag.
  if (existsSync(path.join(benchFolder, 'package.json'))) await prepareFolder(benchFolder, ['--legacy-peer-deps']);
  const { exitCode } = await runTool(process.execPath, [runner, ...process.argv.slice(2)], { inherit: true });
  return exitCode;
});
