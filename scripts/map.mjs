// npm run map: draws which library imports which, from the code, into docs/architecture.md, as Mermaid and without arrows that others imply.
// With --check it writes nothing, and fails when the page differs.
import './node-version.mjs';
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { binary, root, runScript } from './tool.mjs';

const reportBytesMax = 16 * 1024 * 1024;
const [begin, end] = ['<!-- map:begin -->', '<!-- map:end -->'];
/** Tests and their doubles are not part of the product. */
const outside = '(\\.spec\\.ts$|/test/|^libs/testing/)';

/** @returns {Promise<string>} the picture of the current code */
async function drawMap() {
  const args = ['--config', '.dependency-cruiser.cjs', '--include-only', '^(apps|libs)/', '--exclude', outside];
  const report = ['--collapse', '^(apps/[^/]+|libs/composition|libs/[^/]+/[^/]+)', '--output-type', 'json'];
  const { stdout } = await promisify(execFile)(binary('depcruise'), [...args, ...report, 'apps', 'libs'], {
    cwd: root,
    maxBuffer: reportBytesMax,
  });
  return mermaid(reduced(importsIn(JSON.parse(stdout))));
}

/** @returns {string} the page with the picture between its marks */
function withMap(page, map) {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no ${begin} before ${end}`);
  return `${page.slice(0, from)}${begin}\n\n${map}\n${page.slice(to)}`;
}

/** @returns {Map<string, Set<string>>} the imports of each folder of apps and libs */
function importsIn({ modules }) {
  return new Map(
    modules.map(({ source, dependencies }) => {
      const imported = dependencies.map(({ resolved }) => path.posix.normalize(resolved));
      return [source, new Set(imported.filter((name) => name !== source))];
    }),
  );
}

/** Leaves out imports that longer paths imply; the graph has no cycles, so the result is unique. */
function reduced(graph) {
  const reach = new Map();
  const reachable = (name) => {
    if (!reach.has(name)) {
      const next = [...(graph.get(name) ?? [])];
      reach.set(name, new Set([...next, ...next.flatMap((other) => [...reachable(other)])]));
    }
    return reach.get(name);
  };
  return new Map(
    [...graph].map(([name, imported]) => [
      name,
      [...imported].filter((one) => ![...imported].some((other) => other !== one && reachable(other).has(one))).sort(),
    ]),
  );
}

/** A frame for each room, with its libraries; then the arrows. */
function mermaid(graph) {
  const names = [...graph.keys()].sort();
  const rooms = [...new Set(names.map(roomOf))].filter((room) => room !== null);
  const frames = rooms.flatMap((room) => {
    const inside = names.filter((name) => roomOf(name) === room);
    return [`  subgraph ${room}`, ...inside.map((name) => `    ${label(name)}`), '  end'];
  });
  const arrows = [...graph]
    .filter(([, imported]) => imported.length > 0)
    .map(([name, imported]) => `  ${label(name)} --> ${imported.map(label).join(' & ')}`);
  return ['```mermaid', 'flowchart TD', ...frames, ...arrows.sort(), '```', ''].join('\n');
}

const roomOf = (name) => /^libs\/([^/]+)\/[^/]+$/.exec(name)?.[1] ?? (name.startsWith('apps/') ? 'apps' : null);

/** Apps keep the path of their folder, because one has the name of a library. */
const label = (name) => (name.startsWith('apps/') ? name : path.posix.basename(name));

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
