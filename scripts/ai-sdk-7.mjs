// Installs the newer major version of the AI SDK if it is missing; @parley/client/ai-sdk is tested with it as well (test/ai-sdk-7).
import './node-version.mjs';
import path from 'node:path';
import { prepareFolder } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepareFolder(path.join(root, 'test', 'ai-sdk-7'), ['--ignore-scripts']);
  return 0;
});
