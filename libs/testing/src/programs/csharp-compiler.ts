import { execFile, spawnSync, type ExecFileException } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Turns off its telemetry and greetings. */
const quiet = { DOTNET_CLI_TELEMETRY_OPTOUT: '1', DOTNET_NOLOGO: '1' };
/** A compiler that runs for seconds ends before optimizing its own code would pay off. */
const brief = { DOTNET_TieredPGO: '0', DOTNET_TC_CallCountThreshold: '1000' };
const answersWithinMs = 60_000;

/** The command line that starts a program. */
export type Command = readonly [string, ...string[]];

/** The compiler of a .NET SDK, called directly, because building a project takes a minute and downloads packages. */
interface Compiler {
  /** The compiler with the framework's references; options and files follow. */
  readonly command: Command;
  /** Variables that its environment should have. */
  readonly env: Readonly<Record<string, string>>;
  /** Returns the versions of C# that it supports, as it lists them itself (`10.0`). */
  languageVersions(): readonly string[];
  /** Compiles a program of one file, treating warnings as errors. @param path path of the output, without a suffix */
  compile(path: string, code: string): Promise<Command>;
}

/**
 * Returns the newest SDK's compiler with the references of its own framework; null if there is no such SDK.
 * Synchronous, so that a spec can call it before it lists its tests.
 */
export function findCompiler(): Compiler | null {
  const listed = ask('dotnet', '--list-sdks') ?? '';
  const [, version, folder] = /^(\S+) \[(.+)\]$/.exec(listed.trim().split('\n').at(-1) ?? '') ?? [];
  if (version === undefined || folder === undefined) return null;
  const csc = join(folder, version, 'Roslyn', 'bincore', 'csc.dll');
  const packs = join(dirname(folder), 'packs', 'Microsoft.NETCore.App.Ref');
  const [major = ''] = version.split('.');
  const pack = existsSync(packs) ? readdirSync(packs).find((name) => name.startsWith(`${major}.`)) : undefined;
  if (pack === undefined) return null;
  const references = join(packs, pack, 'ref', `net${major}.0`);
  const names = readdirSync(references).filter((name) => name.endsWith('.dll'));
  const command: Command = ['dotnet', csc, '-nologo', ...names.map((name) => `-r:${join(references, name)}`)];
  return {
    command,
    env: brief,
    languageVersions() {
      const versions = ask('dotnet', csc, '-langversion:?') ?? '';
      return [...versions.matchAll(/^\d+(\.\d+)?/gm)].map(([name]) => name);
    },
    async compile(path, code) {
      await writeFile(`${path}.cs`, code);
      const [program, ...args] = command;
      const options = ['-nullable:enable', '-warnaserror', `-out:${path}.dll`];
      await run(program, [...args, ...options, `${path}.cs`], { env: { ...process.env, ...quiet, ...brief } }).catch(
        (failed: ExecFileException) => {
          throw new Error(`${path}.cs does not compile:\n${failed.stdout}${failed.stderr}`);
        },
      );
      const framework = { name: 'Microsoft.NETCore.App', version: `${major}.0.0` };
      // Without culture data, because a small machine lacks its library.
      const configProperties = { 'System.Globalization.Invariant': true };
      const runtime = { runtimeOptions: { tfm: `net${major}.0`, framework, configProperties } };
      await writeFile(`${path}.runtimeconfig.json`, JSON.stringify(runtime));
      return ['dotnet', `${path}.dll`];
    },
  };
}

/** Returns the output of a program; null if it is absent or fails. */
export function ask(program: string, ...args: readonly string[]): string | null {
  const options = { encoding: 'utf8', env: { ...process.env, ...quiet }, timeout: answersWithinMs } as const;
  const { status, stdout } = spawnSync(program, args, options);
  return status === 0 ? stdout : null;
}
