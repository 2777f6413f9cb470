// npm run docs: writes docs/configuration.md from the built table of environment variables, and the table of reasons into docs/guides/errors.md.
import './node-version.mjs';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { prepare } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepare({ build: true });
  const require = createRequire(import.meta.url);
  const { configurationPage } = require('../dist/libs/platform/runtime/src/configuration-table.js');
  const page = path.join(root, 'docs', 'configuration.md');
  mkdirSync(path.dirname(page), { recursive: true });
  writeFileSync(page, configurationPage());
  const { withReasons } = require('../dist/libs/platform/reference/src/reasons-table.js');
  const errors = path.join(root, 'docs', 'guides', 'errors.md');
  writeFileSync(errors, withReasons(readFileSync(errors, 'utf8')));
  console.log(`wrote ${path.relative(root, page)} and ${path.relative(root, errors)}`);
  return 0;
});
