/** The compilers of other languages that this machine has. Tests bring Python's; C#, Java and Go are compiled where an SDK that answers lies on the path, without packages. */
import { readdir } from 'node:fs/promises';
import { ask, debianProgram, findCompiler } from '@app/testing/programs';
import type { Ended, Workshop } from './others';

/** The languages, each with a file that no compiler of it may take. */
export const brokenFiles = {
  python: ['broken.py', 'class Broken(:\n'],
  csharp: ['Broken.cs', 'class Broken { Missing member; }\n'],
  java: ['Broken.java', 'package parley;\nclass Broken { Missing member; }\n'],
  go: ['broken.go', 'package parley\n\ntype Broken struct{ Member Missing }\n'],
} as const;
export type Language = keyof typeof brokenFiles;

// Reason for the assertion: the keys of an object that is written out are its type's.
export const modelLanguages = Object.keys(brokenFiles) as Language[];

/** What the models need: quicktype's do not compile as C# 8. As C# 14 Modelina's `field` would be a keyword, and its value lost. */
const csharpVersion = '10.0';

/** A compiler that lives for seconds is done before code that is compiled best would pay. */
const briefJava = ['-J-XX:TieredStopAtLevel=1', '-J-XX:+UseSerialGC'];

/** Compiles all that lies in a folder of the workshop; `code` is 0 when it is right. */
type Compile = (workshop: Workshop, folder: string) => Promise<Ended>;

/** The compilers by language; one that is not here has no entry. Known at once: a spec lists no test for what cannot be compiled. */
export function compilersHere(): ReadonlyMap<Language, Compile> {
  const compilers = new Map<Language, Compile>([
    [
      'python',
      async (workshop, folder) =>
        workshop.run(await debianProgram('python3'), ['-m', 'py_compile', ...(await filesOf(workshop, folder))]),
    ],
  ]);
  const csharp = findCompiler();
  if (csharp?.languageVersions().includes(csharpVersion) === true) {
    const [program, ...args] = csharp.command;
    const options = [...args, '-target:library', '-nullable:enable', `-langversion:${csharpVersion}`];
    compilers.set('csharp', async (workshop, folder) => {
      const output = `-out:${workshop.path(folder)}.dll`;
      return workshop.run(program, [...options, output, ...(await filesOf(workshop, folder))], csharp.env);
    });
  }
  if (ask('javac', '-version') !== null)
    compilers.set('java', async (workshop, folder) => {
      const options = [...briefJava, '-encoding', 'UTF-8', '-proc:none', '-d', workshop.path('classes', folder)];
      return workshop.run('javac', [...options, ...(await filesOf(workshop, folder))]);
    });
  if (ask('go', 'version') !== null)
    compilers.set('go', async (workshop, folder) => {
      const cache = workshop.path('go-cache');
      const offline = { GOCACHE: cache, GOPROXY: 'off', GOTOOLCHAIN: 'local', GOTELEMETRY: 'off' };
      return workshop.run('go', ['build', ...(await filesOf(workshop, folder))], offline);
    });
  return compilers;
}

async function filesOf(workshop: Workshop, folder: string): Promise<string[]> {
  return (await readdir(workshop.path(folder))).map((name) => workshop.path(folder, name));
}
