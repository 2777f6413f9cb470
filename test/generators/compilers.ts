/** The compilers of other languages that this machine has. Tests bring Python's; C#, Java and Go are compiled where an SDK lies on the path, without packages. */
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { findCompiler } from '../support/csharp-compiler';
import { debianProgram } from '../support/debian';
import type { Ended, Workshop } from './others';

/** The languages, each with a file that no compiler of it may take. */
export const brokenFiles = {
  python: ['broken.py', 'class Broken(:\n'],
  csharp: ['Broken.cs', 'class Broken { Missing member; }\n'],
  java: ['Broken.java', 'package parley;\nclass Broken { Missing member; }\n'],
  go: ['broken.go', 'package parley\n\ntype Broken struct{ Member Missing }\n'],
} as const;
export type Language = keyof typeof brokenFiles;

/** Compiles all that lies in a folder of the workshop; `code` is 0 when it is right. */
type Compile = (folder: string) => Promise<Ended>;

/** The compilers by language; one that is not here has no entry. */
export async function compilersHere(workshop: Workshop): Promise<ReadonlyMap<Language, Compile>> {
  const filesOf = async (folder: string) =>
    (await readdir(workshop.path(folder))).map((name) => workshop.path(folder, name));
  const python = await debianProgram('python3');
  const compilers = new Map<Language, Compile>([
    ['python', async (folder) => workshop.run(python, ['-m', 'py_compile', ...(await filesOf(folder))])],
  ]);
  const csharp = await findCompiler();
  if (csharp !== null)
    compilers.set('csharp', async (folder) => {
      const [program, ...args] = csharp.command;
      // C# 14 takes `field` in an accessor for its keyword, and Modelina calls what holds a member `field` so.
      const options = ['-target:library', '-nullable:enable', '-langversion:13', `-out:${workshop.path(folder)}.dll`];
      return workshop.run(program, [...args, ...options, ...(await filesOf(folder))]);
    });
  if (await isOnPath('javac'))
    compilers.set('java', async (folder) =>
      workshop.run('javac', [
        '-encoding',
        'UTF-8',
        '-proc:none',
        '-d',
        workshop.path('classes', folder),
        ...(await filesOf(folder)),
      ]),
    );
  if (await isOnPath('go')) {
    const offline = { GOCACHE: workshop.path('go-cache'), GOPROXY: 'off', GOTOOLCHAIN: 'local', GOTELEMETRY: 'off' };
    compilers.set('go', async (folder) => workshop.run('go', ['build', ...(await filesOf(folder))], offline));
  }
  return compilers;
}

async function isOnPath(program: string): Promise<boolean> {
  const found = (process.env['PATH'] ?? '').split(delimiter).map(async (folder) =>
    access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false, // swallowed: the program is not in this folder
    ),
  );
  return (await Promise.all(found)).includes(true);
}
