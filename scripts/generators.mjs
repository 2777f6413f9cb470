// Installs the generators and linters of others that test the published documents (test/generators), if they are missing, without running
// their install scripts.
import './node-version.mjs';
import path from 'node:path';
import { prepareFolder } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepareFolder(path.join(root, 'test', 'generators'), ['--ignore-scripts']);
  return 0;
});
