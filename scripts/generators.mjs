// Installs what the published documents are held against (test/generators: generators and linters of other people), where it is missing. Their install scripts are not run.
import './node-version.mjs';
import path from 'node:path';
import { prepareFolder } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepareFolder(path.join(root, 'test', 'generators'), ['--ignore-scripts']);
  return 0;
});
