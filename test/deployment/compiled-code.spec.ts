import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const apps = join(__dirname, '..', '..', 'dist', 'apps');
const mainOf = (app: string) => join(apps, app, 'src', 'main.js');

/** Prints whether V8 rejects the code that the build cached for an app. */
const asksV8 = `
  const app = require(process.argv[1]);
  console.log(app.compile(require('node:fs').readFileSync(app.codeFile)).cachedDataRejected);`;

const printsStackAtItsEnd = `
  process.exit = () => { console.log(new Error().stack); process.reallyExit(1); };
  const app = require(process.argv[1]);
  app.run(app.compile());`;

describe('the code that a build compiled for an app', () => {
  it.each(readdirSync(apps))('is taken by the Node that built %s', (app) => {
    const { stdout, stderr } = node('-e', asksV8, mainOf(app));
    expect([stdout, stderr]).toEqual(['false\n', '']);
  });

  describe('that is of another V8', () => {
    let folder: string;
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'parley-code-'))));
    afterEach(() => rmSync(folder, { recursive: true }));

    it('is compiled again: the app does what it did', () => {
      for (const file of ['main.js', 'app.js'])
        copyFileSync(join(apps, 'event-store', 'src', file), join(folder, file));
      writeFileSync(join(folder, 'app.js.code'), 'of another V8');
      const { status, stderr } = node(join(folder, 'main.js'));
      expect(status).toBe(1);
      expect(stderr).toBe(node(mainOf('event-store')).stderr);
      expect(stderr).toContain('DATABASE_URL');
    });
  });

  it('keeps the sources in stacks', () => {
    const { stdout } = node('--enable-source-maps', '-e', printsStackAtItsEnd, mainOf('worker'));
    expect(stdout).toContain(join('libs', 'composition', 'src', 'main-process.ts'));
  });
});

/** Runs Node with these arguments and an empty environment. */
const node = (...args: string[]) => spawnSync(process.execPath, args, { env: {}, cwd: tmpdir(), encoding: 'utf8' });
