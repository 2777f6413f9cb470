// npm run load: prepares the product, then runs test/load/main.mjs with the arguments given.
import './node-version.mjs';
import path from 'node:path';
import { readOptions, usage } from '../test/load/options.mjs';
import { checkArguments } from './arguments.mjs';
import { prepare } from './prepare.mjs';
import { root, runScript, runTool } from './tool.mjs';

checkArguments(usage, readOptions);

await runScript(async () => {
  await prepare({ build: true });
  const runner = path.join(root, 'test', 'load', 'main.mjs');
  const { exitCode } = await runTool(process.execPath, [runner, ...process.argv.slice(2)], {
    inherit: true,
    graceMs: 60_000,
  });
  return exitCode;
});
