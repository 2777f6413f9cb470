// node scripts/test-packages.mjs <folder of test/>: installs its packages, if they are missing, without running their install scripts. They
// are outside of the product's lock file: generators and linters of others for the published documents (generators), and the newer major
// version of the AI SDK, with which @parley/client/ai-sdk is tested as well (ai-sdk-7).
import './node-version.mjs';
import path from 'node:path';
import { prepareFolder } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepareFolder(path.join(root, 'test', process.argv[2]), ['--ignore-scripts']);
});
