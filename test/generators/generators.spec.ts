/** Clients that generators of other people make of the documents; docs/guides/generated-clients.md lists what was tried. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generatedFlows, type Flow } from './flows';
import { withinMs, Workshop } from './others';

const root = join(__dirname, '..', '..');

let workshop: Workshop;
beforeAll(async () => {
  workshop = await Workshop.open();
  await workshop.deployment.sandbox('PUT', 'faults', { provider: { settleAfterSeconds: 0 } });
}, withinMs);
afterAll(() => workshop?.close());

/** Each package with what it is asked to do, and what it writes. */
const generators = [
  ['openapi-typescript', 'types.ts', (input: string, output: string) => [input, '-o', output]],
  ['@hey-api/openapi-ts', 'hey/sdk.gen.ts', (input: string) => ['-i', input, '-o', 'hey', '--no-log-file']],
  ['orval', 'orval.ts', (input: string, output: string) => ['--input', input, '--output', output, '--client', 'fetch']],
  ['openapi-zod-client', 'zod.ts', (input: string, output: string) => [input, '-o', output]],
  ['swagger-typescript-api', 'sta/api.ts', (input: string) => ['generate', '-p', input, '-o', 'sta', '-n', 'api.ts']],
] as const;

/** What quicktype makes of the schemas, by the language; in Java one file for each class. */
const models = { python: 'models.py', go: 'models.go', csharp: 'Models.cs', java: 'Run.java' };

/** openapi-typescript is the product's own; the others are not. */
function programOf(name: string): string {
  if (name === 'openapi-typescript') return join(root, 'node_modules', '.bin', name);
  return join(__dirname, 'node_modules', '.bin', name.replace('@hey-api/', ''));
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

  it(
    'what they write compiles strictly',
    async () => {
      const compilerOptions = {
        ...{ strict: true, target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [], skipLibCheck: true },
        ...{ module: 'commonjs', moduleResolution: 'node10', ignoreDeprecations: '6.0', esModuleInterop: true },
        ...{ rootDir: '.', outDir: 'js' },
      };
      const files = [...generators.map(([, output]) => output), 'hey/client.gen.ts'];
      await writeFile(workshop.path('tsconfig.json'), JSON.stringify({ compilerOptions, files }));
      const { code, stdout } = await workshop.tool('tsc', '-p', workshop.path('tsconfig.json'));
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    },
    withinMs,
  );

  it.each(Object.entries(models))(
    'quicktype writes models in %s',
    async (language, output) => {
      await workshop.newFolder(language);
      const source = `${workshop.path('openapi.json')}#/components/schemas/`;
      const options = ['--src-lang', 'schema', '--lang', language, '--out', workshop.path(language, output), source];
      // It tells of members that may be anything: nothing is wrong with them.
      const { code, stderr } = await workshop.tool('quicktype', ...options);
      expect({ code, printed: code === 0 ? '' : stderr }).toEqual({ code: 0, printed: '' });
      expect(await readFile(workshop.path(language, output), 'utf8')).toMatch(/conversation_?id/i);
    },
    withinMs,
  );

  it(
    'the models in Python compile, where Python is',
    async () => {
      const isThere = await workshop.run('python3', ['--version']).catch(() => null);
      if (isThere === null) return;
      const { code, stderr } = await workshop.run('python3', [
        '-m',
        'py_compile',
        workshop.path('python', 'models.py'),
      ]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
    withinMs,
  );
});

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
  const names = [...generators.map(([name]) => name), 'quicktype', '@stoplight/spectral-cli', '@asyncapi/parser'];
  expect(Object.fromEntries(listed)).toEqual(
    Object.fromEntries([...names, '@redocly/cli'].map((name) => [name, tried[name]])),
  );
});

async function versions(folder: string, kind: string): Promise<Record<string, string>> {
  // Reason for the assertion: npm writes it so.
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  return manifest[kind] as Record<string, string>;
}
