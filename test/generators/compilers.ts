/**
 * The compilers of other languages on this machine. Tests install Python's; C#, Java and Go are compiled, without packages, if a working
 * SDK is on the path.
 */
import { readdir } from 'node:fs/promises';
import { ask, debianProgram, findCompiler } from '@app/testing/programs';
import type { Ended, Workshop } from './others';

/** The languages, each with a file that its compiler must reject. */
export const brokenFiles = {
  python: ['broken.py', 'class Broken(:\n'],
  csharp: ['Broken.cs', 'class Broken { Missing member; }\n'],
  java: ['Broken.java', 'package parley;\nclass Broken { Missing member; }\n'],
  go: ['broken.go', 'package parley\n\ntype Broken struct{ Member Missing }\n'],
} as const;
export type Language = keyof typeof brokenFiles;

// Reason for the assertion: an object literal's keys are those of its type.
export const modelLanguages = Object.keys(brokenFiles) as Language[];

/**
 * The version for the models: quicktype's do not compile as C# 8, and in C# 14 Modelina's `field` would be a keyword, and its value lost.
 */
const csharpVersion = '10.0';

/** The compiler runs for seconds, too short for full optimization to pay off. */
const briefJava = ['-J-XX:TieredStopAtLevel=1', '-J-XX:+UseSerialGC'];

/** Compiles everything in a folder of the workshop; `code` is 0 on success. */
type Compile = (workshop: Workshop, folder: string) => Promise<Ended>;

/**
 * The compilers on this machine, by language. Determined synchronously, because a spec lists tests only for languages that can be compiled.
 */
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
