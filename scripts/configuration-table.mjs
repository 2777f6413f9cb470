// npm run docs: writes docs/configuration.md from the built table of environment variables.
import './node-version.mjs';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { prepare } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepare({ build: true });
  const require = createRequire(import.meta.url);
  const { configurationPage } = require('../dist/libs/runtime/src/configuration-table.js');
  const page = path.join(root, 'docs', 'configuration.md');
  mkdirSync(path.dirname(page), { recursive: true });
  writeFileSync(page, configurationPage());
  console.log(`wrote ${path.relative(root, page)}`);
  return 0;
});
