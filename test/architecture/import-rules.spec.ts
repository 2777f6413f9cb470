import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { libraries } from './sources';
import { cleanTree, plant, violations, type PlantedFile } from './planted-tree';

const repository = join(__dirname, '..', '..');
const configuration = join(repository, '.dependency-cruiser.cjs');

/** The parts of the cruiser's report that are read here. */
interface Cruise {
  summary: { violations: { from: string; rule: { name: string } }[] };
}

/** The rules that fired for each file of a tree of these files. */
function rulesFired(files: readonly PlantedFile[]): Map<string, Set<string>> {
  const folder = plant(files, repository);
  try {
    const cruiser = join(repository, 'node_modules', '.bin', 'depcruise');
    const args = ['--config', configuration, '--output-type', 'json', 'apps', 'libs', 'test'];
    const { stdout, stderr } = spawnSync(cruiser, args, { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
    if (stdout === '') throw new Error(`the cruiser said nothing: ${stderr}`);
    const fired = new Map<string, Set<string>>();
    // The tool's version is pinned, and its output is JSON.
    for (const { from, rule } of (JSON.parse(stdout) as Cruise).summary.violations) {
      fired.set(from, (fired.get(from) ?? new Set()).add(rule.name));
    }
    return fired;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const planted = violations.filter(({ rule }) => rule !== undefined);

describe('import rules', () => {
  let fired: Map<string, Set<string>>;

  beforeAll(() => {
    fired = rulesFired([...cleanTree, ...violations]);
  });

  it('let a clean tree pass', () => {
    expect([...rulesFired(cleanTree)]).toEqual([]);
  });

  it.each(planted.map(({ rule, path }) => [rule, path]))('%s fires for %s, and nothing else does', (rule, path) => {
    expect([...(fired.get(path ?? '') ?? [])]).toEqual([rule]);
  });

  const { forbidden }: { forbidden: { name: string }[] } = createRequire(__filename)(configuration);

  it('speak of libraries that there are', () => {
    const folders = libraries().map((folder) => basename(folder));
    const listed = forbidden.flatMap(({ name }) => /^along-the-list:(.+)$/.exec(name)?.[1] ?? []);
    expect(listed.filter((name) => !folders.includes(name))).toEqual([]);
  });

  it('have a planted violation each', () => {
    expect(new Set(planted.map(({ rule }) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
  });

  it('fire for no file that is not planted as a violation', () => {
    expect([...fired.keys()].sort()).toEqual(planted.map(({ path }) => path).sort());
  });
});
