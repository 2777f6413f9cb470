// Installs the newer major version of the AI SDK, which @parley/client/ai-sdk is held against as well (test/ai-sdk-7), where it is missing.
import './node-version.mjs';
import path from 'node:path';
import { prepareFolder } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepareFolder(path.join(root, 'test', 'ai-sdk-7'), ['--ignore-scripts']);
  return 0;
});
