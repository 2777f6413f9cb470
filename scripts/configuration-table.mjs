// npm run docs: writes docs/configuration.md from the built table of environment variables, the table of reasons into
// docs/guides/errors.md, the table of stored members into docs/privacy.md, and the pages of @parley/client.
import './node-version.mjs';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { writeClientPages } from './client-pages.mjs';
import { prepare } from './prepare.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  await prepare({ build: true });
  const require = createRequire(import.meta.url);
  const { configurationPage } = require('../dist/libs/product/settings/src/configuration-table.js');
  const page = path.join(root, 'docs', 'configuration.md');
  mkdirSync(path.dirname(page), { recursive: true });
  writeFileSync(page, configurationPage());
  const { withReasons } = require('../dist/libs/platform/reference/src/reasons-table.js');
  const errors = path.join(root, 'docs', 'guides', 'errors.md');
  writeFileSync(errors, withReasons(readFileSync(errors, 'utf8')));
  const { withMembers } = require('../dist/libs/product/operators/src/streams/privacy-table.js');
  const privacy = path.join(root, 'docs', 'privacy.md');
  writeFileSync(privacy, withMembers(readFileSync(privacy, 'utf8')));
  const pages = writeClientPages();
  console.log(
    `wrote ${[page, errors, privacy].map((file) => path.relative(root, file)).join(', ')} and ${pages.length} pages of the client`,
  );
  return 0;
});
