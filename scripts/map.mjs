// npm run map: draws which library imports which, from the code, into docs/architecture.md. With --check it writes nothing, and fails when
// the page differs.
import './node-version.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { drawMap, withMap } from './import-map.mjs';
import { root, runScript } from './tool.mjs';

await runScript(async () => {
  const page = path.join(root, 'docs', 'architecture.md');
  const before = readFileSync(page, 'utf8');
  const after = withMap(before, await drawMap());
  const name = path.relative(root, page);
  if (process.argv.includes('--check')) {
    if (before !== after) console.error(`the map in ${name} is not the code's any more: npm run map`);
    return before === after ? 0 : 1;
  }
  writeFileSync(page, after);
  console.log(`wrote the map into ${name}`);
  return 0;
});
