// Prints the paths of the runtimes other than Node on which the client is tested (test/runtimes), as JSON, and installs them if they are
// missing, without running their install scripts.
import './node-version.mjs';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { prepareFolder } from './prepare.mjs';
import { StepFailed, root, runScript } from './tool.mjs';

const packages = path.join(root, 'test', 'runtimes', 'node_modules');

await runScript(async () => {
  await prepareFolder(path.join(root, 'test', 'runtimes'), ['--ignore-scripts']);
  console.log(JSON.stringify({ bun: program('@oven', 'bin/bun'), deno: program('@deno', 'deno') }));
  return 0;
});

/** npm installs only the package of a scope that is for this machine. */
function program(scope, file) {
  const folders = existsSync(path.join(packages, scope)) ? readdirSync(path.join(packages, scope)) : [];
  const found = folders.map((folder) => path.join(packages, scope, folder, file)).find((name) => existsSync(name));
  if (found === undefined) throw new StepFailed(`npm has no ${scope} for ${process.platform} on ${process.arch}`);
  return found;
}
