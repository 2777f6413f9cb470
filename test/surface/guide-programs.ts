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

/** Makes programs of snippets, by name. Throws the compiler's messages if one does not compile. */
type Maker = <Name extends string>(codes: Readonly<Record<Name, string>>) => Promise<Record<Name, Command>>;

/** The languages with a runtime on this machine: always Node and Python, because tests install them; C# if an SDK of .NET exists. */
export async function makersHere(project: PackedProject): Promise<ReadonlyMap<Language, Maker>> {
  const python = await debianProgram('python3');
  const makers = new Map<Language, Maker>([
    [
      'ts',
      async (codes) => {
        for (const [name, code] of entriesOf(codes)) await project.write(`${name}.mts`, code);
        // Compiled together, because each run of the compiler reads the same libraries.
        await project.compile(
          entriesOf(codes).map(([name]) => `${name}.mts`),
          'node16',
        );
        return mapped(codes, (name) => [process.execPath, join(project.folder, `${name}.mjs`)]);
      },
    ],
    [
      'python',
      (codes) =>
        mapped(codes, async (name, code) => {
          await writeFile(join(project.folder, `${name}.py`), code);
          return [python, join(project.folder, `${name}.py`)];
        }),
    ],
  ]);
  const compiler = findCompiler();
  if (compiler !== null)
    makers.set('csharp', (codes) => mapped(codes, (name, code) => compiler.compile(join(project.folder, name), code)));
  return makers;
}

function entriesOf<Name extends string>(codes: Readonly<Record<Name, string>>): [Name, string][] {
  // Reason for the assertion: an object literal's keys are those of its type.
  return Object.entries(codes) as [Name, string][];
}

async function mapped<Name extends string>(
  codes: Readonly<Record<Name, string>>,
  make: (name: Name, code: string) => Command | Promise<Command>,
): Promise<Record<Name, Command>> {
  const made: [Name, Command][] = [];
  for (const [name, code] of entriesOf(codes)) made.push([name, await make(name, code)]);
  // Reason for the assertion: one was made for each name.
  return Object.fromEntries(made) as Record<Name, Command>;
}

/** The one program of a guide in a language. @throws Error when there is none or more than one */
export async function programOf(guide: string, language: Language): Promise<string> {
  const markdown = await readFile(join(__dirname, '..', '..', 'docs', 'guides', `${guide}.md`), 'utf8');
  const [code, ...others] = [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))];
  if (code?.[1] === undefined || others.length > 0) throw new Error(`${guide}.md has not one program in ${language}`);
  return code[1];
}

/** Runs a program to its end, and returns the lines that it printed. Throws its errors if it fails. */
export async function printedBy([file, ...args]: Command, env: Readonly<Record<string, string>>): Promise<string[]> {
  const { stdout } = await run(file, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    timeout: endsWithinMs,
  }).catch((failed: ExecFileException) => {
    throw new Error(`${args.join(' ')} failed:\n${failed.stdout}${failed.stderr}`);
  });
  return stdout.trim().split('\n');
}
