/** Clients that third-party generators make of the documents; docs/guides/generated-clients.md lists those that were tried. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brokenFiles, compilersHere, modelLanguages, type Language } from './compilers';
import { generatedFlows, type Flow } from './flows';
import { withinMs, Workshop, type Ended } from './others';

const root = join(__dirname, '..', '..');
/** Modelina is a library, and this is a program that runs it. */
const modelina = join(__dirname, 'modelina.cjs');
const quicktype = join(__dirname, 'quicktype.cjs');

/**
 * quicktype's models are generated in every language, and Modelina's in these, in which they are compiled too. C# and Java take a minute of
 * CPU, so `npm run figures` has them.
 */
const compilers = compilersHere();
const compiled = [...compilers.keys()].filter(
  (language) => process.env['FIGURES'] === 'full' || ['python', 'go'].includes(language),
);

let workshop: Workshop;
beforeAll(async () => {
  workshop = await Workshop.open();
  await workshop.deployment.sandbox('PUT', 'faults', { provider: { settleAfterSeconds: 0 } });
}, withinMs);
afterAll(async () => {
  const absent = modelLanguages.filter((language) => !compilers.has(language)).join(', ');
  const uncompiled = absent === '' ? '' : `; no compiler is here for ${absent}`;
  process.stdout.write(`generators: models are compiled in ${compiled.join(', ')}${uncompiled}\n`);
  await workshop?.close();
});

/** Each package with its arguments and its output. */
const generators = [
  ['openapi-typescript', 'types.ts', (input: string, output: string) => [input, '-o', output]],
  ['@hey-api/openapi-ts', 'hey/sdk.gen.ts', (input: string) => ['-i', input, '-o', 'hey', '--no-log-file']],
  ['orval', 'orval.ts', (input: string, output: string) => ['--input', input, '--output', output, '--client', 'fetch']],
  ['openapi-zod-client', 'zod.ts', (input: string, output: string) => [input, '-o', output]],
  ['swagger-typescript-api', 'sta/api.ts', (input: string) => ['generate', '-p', input, '-o', 'sta', '-n', 'api.ts']],
] as const;

/**
 * The models that quicktype generates of the schemas, by language, with options that need only the standard library. Java gets one file per
 * class.
 */
const quicktypeModels = [
  ['python', 'models.py', []],
  ['go', 'models.go', ['--package', 'parley']],
  ['csharp', 'Models.cs', ['--framework', 'SystemTextJson']],
  ['java', 'Run.java', ['--just-types', '--package', 'parley']],
] as const;

/** openapi-typescript is installed with the product, the others are not. */
function programOf(name: string): string {
  if (name === 'openapi-typescript') return join(root, 'node_modules', '.bin', name);
  return join(__dirname, 'node_modules', '.bin', name.replace('@hey-api/', ''));
}

/** The generated TypeScript, by generator: files and folders. */
const inTypeScript = [
  ['generators, from openapi.json,', [...generators.map(([, output]) => output), 'hey/client.gen.ts']],
  ['openapi-zod-client, from openapi-3.0.json,', ['zod30.ts']],
  ['Modelina, from openapi.json,', ['openapi-typescript/']],
  ['Modelina, from asyncapi.json,', ['asyncapi-typescript/']],
] as const;

/** Compiles all of it to `js` in one run, as strictly as TypeScript can, and returns the compiler's complaints. */
async function compileStrictly(): Promise<readonly string[]> {
  const compilerOptions = {
    strict: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    types: [],
    skipLibCheck: true,
    module: 'commonjs',
    moduleResolution: 'node10',
    ignoreDeprecations: '6.0',
    esModuleInterop: true,
    rootDir: '.',
    outDir: 'js',
  };
  const named = inTypeScript.flatMap(([, paths]) => [...paths]);
  const files = await Promise.all(named.map(async (path) => (path.endsWith('/') ? filesIn(path) : [path])));
  const configuration = workshop.path('tsconfig.json');
  await writeFile(configuration, JSON.stringify({ compilerOptions, files: files.flat() }));
  const { code, stdout } = await workshop.tool('tsc', '-p', configuration);
  if (code === 0) return stdout === '' ? [] : [stdout];
  return stdout.trim().split(/\n(?=\S)/);
}

async function filesIn(folder: string): Promise<string[]> {
  return (await readdir(workshop.path(folder))).map((name) => join(folder, name));
}

async function compile(language: Language, folder: string): Promise<Ended> {
  const compiler = compilers.get(language);
  if (compiler === undefined) throw new Error(`no compiler is here for ${language}`);
  return compiler(workshop, folder);
}

async function expectCompiled(language: Language, folder: string): Promise<void> {
  const { code, stdout, stderr } = await compile(language, folder);
  expect({ code, printed: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, printed: '' });
}

describe('from openapi.json', () => {
  it.each(generators)(
    '%s writes %s',
    async (name, output, options) => {
      const { code, stdout, stderr } = await workshop.run(
        programOf(name),
        options(workshop.path('openapi.json'), workshop.path(output)),
      );
      expect({ code, printed: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, printed: '' });
      expect(await readFile(workshop.path(output), 'utf8')).toContain('conversationId');
    },
    withinMs,
  );
});

describe('quicktype, from openapi.json', () => {
  let written: Ended;
  beforeAll(async () => {
    const source = `${workshop.path('openapi.json')}#/components/schemas/`;
    const runs = quicktypeModels.map(([language, output, more]) => {
      const options = ['--src-lang', 'schema', '--lang', language, ...more];
      return JSON.stringify([...options, '--out', workshop.path(language, output), source]);
    });
    for (const [language] of quicktypeModels) await workshop.newFolder(language);
    written = await workshop.run(process.execPath, [quicktype, ...runs]);
  }, withinMs);

  it.each(quicktypeModels)('writes models in %s', async (language, output) => {
    // It reports members of any type, which are no error.
    const { code, stderr } = written;
    expect({ code, printed: code === 0 ? '' : stderr }).toEqual({ code: 0, printed: '' });
    expect(await readFile(workshop.path(language, output), 'utf8')).toMatch(/conversation_?id/i);
  });

  it.each(compiled)('what it writes in %s compiles', (language) => expectCompiled(language, language), withinMs);
});

describe('from openapi-3.0.json', () => {
  it(
    'a client is written',
    async () => {
      const input = workshop.path('openapi-3.0.json');
      const written = await workshop.tool('openapi-zod-client', input, '-o', workshop.path('zod30.ts'));
      expect({ code: written.code, printed: written.code === 0 ? '' : written.stderr }).toEqual({
        code: 0,
        printed: '',
      });
    },
    withinMs,
  );
});

describe.each(['openapi', 'asyncapi'])('Modelina, from %s.json', (document) => {
  const languages = ['typescript', ...compiled] as const;
  let written: Ended;
  beforeAll(async () => {
    written = await workshop.run(process.execPath, [modelina, workshop.path(`${document}.json`), ...languages]);
  }, withinMs);

  it.each(languages)('writes models in %s', async (language) => {
    const { code, stderr } = written;
    expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
    expect((await readdir(workshop.path(`${document}-${language}`))).length).toBeGreaterThan(50);
  });

  it.each(compiled)(
    'what it writes in %s compiles',
    async (language) => {
      await expectCompiled(language, `${document}-${language}`);
    },
    withinMs,
  );
});

describe('compiled strictly', () => {
  let complaints: readonly string[];
  beforeAll(async () => {
    complaints = await compileStrictly();
  }, withinMs);

  it.each(inTypeScript)('what %s writes in TypeScript is right', (_, own) => {
    const others = inTypeScript.filter(([, paths]) => paths !== own).flatMap(([, paths]) => [...paths]);
    expect(complaints.filter((line) => !others.some((path) => line.startsWith(path)))).toEqual([]);
  });
});

it.each(compiled)(
  'the compiler of %s refuses what is wrong',
  async (language) => {
    const [name, code] = brokenFiles[language];
    const folder = `broken-${language}`;
    await workshop.newFolder(folder);
    await writeFile(workshop.path(folder, name), code);
    const ended = await compile(language, folder);
    expect(ended.code).toBeGreaterThan(0);
    expect(ended.stdout + ended.stderr).toContain(language === 'python' ? 'SyntaxError' : 'Missing');
  },
  withinMs,
);

describe.each(Object.entries(generatedFlows))('the client of %s', (_, flowOf) => {
  let flow: Flow;
  beforeAll(async () => {
    const user = await workshop.deployment.newUser();
    flow = await flowOf(workshop.path('js'), user);
  });

  it('ensures the user, runs an agent and reads how it ended', async () => {
    const { userId } = await flow.ensureUser();
    const { id } = await flow.createConversation(userId);
    const { runId } = await flow.startRun(userId, id, 'repeat after me: done');
    expect(await flow.untilEnded(userId, runId)).toMatchObject({ conversationId: id, status: 'completed' });
  });

  it('approves the withdrawal that a run asks for', async () => {
    const { userId } = await flow.ensureUser();
    await flow.ensureWallet(userId);
    const { id } = await flow.createConversation(userId);
    const { runId } = await flow.startRun(userId, id, 'withdraw 1.5 USDC');
    const approval = await flow.untilAsked(userId);
    expect(approval).toMatchObject({ kind: 'agent_tool', runId, status: 'pending' });
    await flow.approve(userId, approval.id, approval.fingerprint);
    expect(await flow.untilEnded(userId, runId)).toMatchObject({ status: 'completed' });
  });
});

it('are listed in the guide with the versions that are tried here', async () => {
  const guide = await readFile(join(root, 'docs', 'guides', 'generated-clients.md'), 'utf8');
  const listed = [...guide.matchAll(/^\| `([^`]+)` +\| ([\d.]+) +\|/gm)].map(([, name, version]) => [name, version]);
  const tried = { ...(await versions(__dirname, 'dependencies')), ...(await versions(root, 'devDependencies')) };
  const names = [
    ...generators.map(([name]) => name),
    'quicktype',
    '@asyncapi/modelina',
    '@stoplight/spectral-cli',
    '@asyncapi/parser',
  ];
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries([...names, '@redocly/cli'].map((name) => [name, tried[name]])),
  );
});

async function versions(folder: string, kind: string): Promise<Record<string, string>> {
  // Reason for the assertion: npm writes it in this shape.
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  return manifest[kind] as Record<string, string>;
}
