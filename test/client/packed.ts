import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const outputBytesMax = 16 * 1024 * 1024;

export interface Manifest {
  readonly name: string;
  readonly license: string;
  readonly sideEffects: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A partner's project outside the repository, with one of our packages as npm would install it from its tarball. */
export class PackedProject {
  private constructor(
    readonly folder: string,
    /** The paths in the tarball. */
    readonly files: readonly string[],
    readonly manifest: Manifest,
  ) {}

  static async create(name: 'client' | 'verify' = 'client'): Promise<PackedProject> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-client-'));
    const packed = await run('npm', ['pack', '--json', '--pack-destination', folder], {
      cwd: join(root, 'libs', 'clients', name),
      maxBuffer: outputBytesMax,
    });
    // Reason for the assertion: this is the output of npm pack.
    const [tarball] = JSON.parse(packed.stdout) as { filename: string; files: { path: string }[] }[];
    const installed = join(folder, 'node_modules', '@parley', name);
    await mkdir(installed, { recursive: true });
    await run('tar', ['-xzf', join(folder, tarball?.filename ?? ''), '-C', installed, '--strip-components=1']);
    // Reason for the assertion: these are the members that the tests check.
    const manifest = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as Manifest;
    // Links exactly its dependencies from their installed places, because tests have no network.
    for (const needed of [...Object.keys(manifest.dependencies ?? {}), '@types/node', 'undici-types']) {
      const link = join(folder, 'node_modules', needed);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(root, 'node_modules', needed), link);
    }
    return new PackedProject(folder, tarball?.files.map(({ path }) => path) ?? [], manifest);
  }

  /**
   * Links a package that is installed elsewhere, with its dependencies.
   * @param folder the place of its node_modules, from the repository's root
   */
  async link(name: string, folder: string): Promise<void> {
    await symlink(join(root, folder, 'node_modules', name), join(this.folder, 'node_modules', name));
  }

  async write(name: string, text: string): Promise<void> {
    await writeFile(join(this.folder, name), text);
  }

  /** Runs one of the project's files. Returns its output; throws with its errors if it fails. */
  async node(
    name: string,
    env: Readonly<Record<string, string>> = {},
    programArguments: readonly string[] = [],
  ): Promise<string> {
    const { stdout } = await run(process.execPath, [name, ...programArguments], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'] ?? '', ...env },
      maxBuffer: outputBytesMax,
    });
    return stdout;
  }

  /**
   * Checks the types of files as strictly as possible, and compiles them. Throws with the compiler's output if they
   * have errors.
   * @param checks `package` checks the imported declarations as well, which takes long
   */
  async compile(names: readonly string[], module: 'node16' | 'bundler', checks: 'package' | 'use' = 'use') {
    const resolution = ['--module', module === 'node16' ? 'node16' : 'esnext', '--moduleResolution', module];
    const strict = ['--strict', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
    const depth = ['--skipLibCheck', String(checks === 'use'), '--skipDefaultLibCheck', '--types', 'node'];
    const options = [...resolution, ...strict, ...depth, '--target', 'es2022'];
    const compiler = join(root, 'node_modules', 'typescript', 'lib', 'tsc.js');
    await run(process.execPath, [compiler, ...options, ...names], {
      cwd: this.folder,
      maxBuffer: outputBytesMax,
    }).catch((error: unknown) => {
      throw new Error(
        `${names.join(', ')}: does not compile (${module}):\n${String(Reflect.get(Object(error), 'stdout'))}`,
      );
    });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
