import { execFile, type ExecFileException } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PackedProject } from '../client/packed';
import { type Command, debianProgram, findCompiler } from '@app/testing/programs';

const run = promisify(execFile);
const endsWithinMs = 120_000;

/** The languages of the programs, by the names of their fences. */
export const languages = ['ts', 'python', 'csharp'] as const;
export type Language = (typeof languages)[number];

/** Makes a program of a snippet; throws, with what its compiler says, when it is not right. */
type Maker = (name: string, code: string) => Promise<Command>;

/** The languages whose runtime is on this machine: Node and Python always, since tests install them; C# with an SDK of .NET. */
export async function makersHere(project: PackedProject): Promise<ReadonlyMap<Language, Maker>> {
  const python = await debianProgram('python3');
  const makers = new Map<Language, Maker>([
    [
      'ts',
      async (name, code) => {
        await project.write(`${name}.mts`, code);
        await project.compile(`${name}.mts`, 'node16');
        return [process.execPath, join(project.folder, `${name}.mjs`)];
      },
    ],
    [
      'python',
      async (name, code) => {
        await writeFile(join(project.folder, `${name}.py`), code);
        return [python, join(project.folder, `${name}.py`)];
      },
    ],
  ]);
  const compiler = findCompiler();
  if (compiler !== null) makers.set('csharp', (name, code) => compiler.compile(join(project.folder, name), code));
  return makers;
}

/** The one program of a guide in a language. @throws Error when there is none, or more than one */
export async function programOf(guide: string, language: Language): Promise<string> {
  const markdown = await readFile(join(__dirname, '..', '..', 'docs', 'guides', `${guide}.md`), 'utf8');
  const [code, ...others] = [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  if (code?.[1] === undefined || others.length > 0) throw new Error(`${guide}.md has not one program in ${language}`);
  return code[1];
}

/** Runs a program to its end. What it printed, line by line; throws, with its errors, when it fails. */
export async function printedBy([file, ...args]: Command, env: Readonly<Record<string, string>>): Promise<string[]> {
  const { stdout } = await run(file, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: endsWithinMs,
  }).catch((failed: ExecFileException) => {
    throw new Error(`${args.join(' ')} failed:\n${failed.stdout}${failed.stderr}`);
  });
  return stdout.trim().split('\n');
}
