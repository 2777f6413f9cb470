import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { streamLife } from '@app/journal';
import { reasons } from '@app/kernel';
import { Ajv } from 'ajv';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { specifiedBesides, specifiedEvents, specifiedOperations } from './specified';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const toolWithinMs = 120_000;
const outputMax = 64 * 1024 * 1024;
/** The linter makes no calls, neither for a newer version nor with its results. */
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', CI: 'true', NO_COLOR: '1' };

interface Described {
  readonly operationId: string;
  readonly responses: Record<string, { readonly content?: Record<string, unknown> }>;
  readonly 'x-reasons': Record<string, readonly string[]>;
  readonly 'x-beyond-specification'?: string;
}
type OpenApi = Record<string, unknown> & { readonly paths: Record<string, Record<string, Described>> };
type AsyncApi = Record<string, unknown> & { readonly asyncapi: string };

let deployment: Deployment;
let folder: string;
let openApi: OpenApi;
let operatorApi: OpenApi;
let asyncApi: AsyncApi;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  folder = await mkdtemp(join(tmpdir(), 'parley-documents-'));
  openApi = await served<OpenApi>('openapi.json');
  operatorApi = await served<OpenApi>('operator/openapi.json');
  asyncApi = await served<AsyncApi>('asyncapi.json');
});

afterAll(async () => {
  await deployment?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The document that the service serves, also written to a file for the tools. */
async function served<Document>(name: string): Promise<Document> {
  const answer = await fetch(`${deployment.baseUrls[0]}/${name}`);
  expect({ name, status: answer.status }).toEqual({ name, status: 200 });
  const text = await answer.text();
  await writeFile(join(folder, fileOf(name)), text);
  // Reason for the assertion: the test states what it expects, and checks the members that matter to it.
  return JSON.parse(text) as Document;
}

/** The name of a document's file. */
function fileOf(name: string): string {
  return name.replace('/', '-');
}

/** The linter's complaints about a document, errors and warnings alike. */
async function lint(name: string): Promise<string[]> {
  const linter = join(root, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
  const options = ['--config', join(root, 'redocly.yaml'), '--format', 'json', '--max-problems', '1000'];
  const { stdout } = await run(process.execPath, [linter, 'lint', ...options, join(folder, fileOf(name))], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...quiet },
    maxBuffer: outputMax,
  }).catch((failed: { stdout?: string; stderr?: string }) => {
    // It exits with an error if it has complaints; without any output it did not run.
    if (!failed.stdout?.includes('{')) throw new Error(`the linter failed: ${failed.stderr}`);
    return { stdout: failed.stdout };
  });
  const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    problems: { ruleId: string; message: string; location: { pointer: string }[] }[];
  };
  return report.problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`);
}

const operations = () => operationsOf(openApi);
const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, item]) => {
    return Object.entries(item).map(([method, operation]) => ({ operation, path, method: method.toUpperCase() }));
  });

describe.each(['openapi.json', 'operator/openapi.json'])('%s', (name) => {
  it('has no errors and no warnings', async () => expect(await lint(name)).toEqual([]), toolWithinMs);

  it('is OpenAPI 3.1 by the official schema', async () => {
    expect((name === 'openapi.json' ? openApi : operatorApi)['openapi']).toMatch(/^3\.1\./);
    const validator = join(
      root,
      'node_modules',
      '@seriousme',
      'openapi-schema-validator',
      'bin',
      'validate-api-cli.js',
    );
    const { stdout } = await run(process.execPath, [validator, join(folder, fileOf(name))], { maxBuffer: outputMax });
    expect(JSON.parse(stdout)).toEqual({ valid: true });
  });
});

describe('openapi.json', () => {
  it('describes every operation of the specification, and no other of the partner API that does not say why it is there', () => {
    const described = operations().map(({ operation, method, path }) => `${operation.operationId} ${method} ${path}`);
    const specified = new Set(specifiedOperations);
    expect(specifiedOperations.filter((one) => !described.includes(one))).toEqual([]);
    const beyond = new Set(
      operations().flatMap(({ operation }) => (operation['x-beyond-specification'] ? [operation.operationId] : [])),
    );
    const isExplained = (one: string) => specified.has(one) !== beyond.has(one.split(' ')[0] ?? '');
    expect(described.filter((one) => / \/(v1|hooks)\//.test(one) && !isExplained(one))).toEqual([]);
    const calls = operations().map(({ method, path }) => `${method} ${path}`);
    expect(specifiedBesides.filter((one) => !calls.includes(one))).toEqual([]);
    process.stdout.write(`documents: ${specifiedOperations.length} operations of the specification are described\n`);
  });

  it('describes where /docs leads from localhost', async () => {
    const { port } = new URL(deployment.baseUrls[0] ?? '');
    const request = get({ host: '127.0.0.1', port, path: '/docs', headers: { host: `localhost:${port}` } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage]; // reason: Node documents the payload of this event
    answer.resume();
    expect(answer).toMatchObject({ statusCode: 307, headers: { location: `${deployment.baseUrls[0]}/docs` } });
    expect(openApi.paths['/docs']?.['get']?.responses).toHaveProperty(['307', 'headers', 'Location']);
  });

  it('knows every reason, and names each where it can be met', () => {
    const problem = JSON.stringify(Reflect.get(Reflect.get(openApi, 'components') as object, 'schemas'));
    for (const reason of Object.keys(reasons)) expect(problem).toContain(`"${reason}"`);
    const met = new Set(operations().flatMap(({ operation }) => Object.values(operation['x-reasons']).flat()));
    // Only operators act on read models.
    const ofOperators = ['projection_state', 'differences_unseen'];
    expect(Object.keys(reasons).filter((reason) => !met.has(reason))).toEqual(ofOperators);
    const byOperators = operationsOf(operatorApi).flatMap(({ operation }) =>
      Object.values(operation['x-reasons']).flat(),
    );
    expect(byOperators).toEqual(expect.arrayContaining(ofOperators));
  });

  it(
    'is what `parley contract openapi` prints',
    async () => {
      const { port } = new URL(deployment.baseUrls[0] ?? '');
      expect(await printed('openapi', port)).toEqual(openApi);
    },
    toolWithinMs,
  );
});

describe('asyncapi.json', () => {
  it('has no errors and no warnings', async () => expect(await lint('asyncapi.json')).toEqual([]), toolWithinMs);

  it('is AsyncAPI 3 by the official schema', async () => {
    expect(asyncApi.asyncapi).toMatch(/^3\./);
    const schema = join(root, 'node_modules', '@asyncapi', 'specs', 'schemas', `${asyncApi.asyncapi}.json`);
    // The file contains the meta-schema of its draft.
    const own = { meta: false, validateSchema: false };
    const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true, ...own });
    const validate = ajv.compile(JSON.parse(await readFile(schema, 'utf8')) as object);
    expect(validate(asyncApi) ? [] : validate.errors).toEqual([]);
  });

  it('describes every type of event, and no other', () => {
    const { messages } = Reflect.get(asyncApi, 'components') as { messages: Record<string, { name?: string }> };
    const named = Object.entries(messages).map(([key, { name }]) => name ?? key);
    // The feed has one message for all types.
    expect(named.sort()).toEqual([...specifiedEvents, 'feed.event'].sort());
  });

  it(
    'is what `parley contract asyncapi` prints',
    async () => {
      const { port } = new URL(deployment.baseUrls[0] ?? '');
      expect(await printed('asyncapi', port)).toEqual(asyncApi);
    },
    toolWithinMs,
  );
});

/** Compared as one line each, because lines break at different places in each of them. */
describe('the documents, the guides and the decisions', () => {
  const pages = join(root, 'docs');
  const page = async (name: string) => (await readFile(join(pages, name), 'utf8')).replaceAll(/\s+/g, ' ');
  const said = (document: object, ...path: string[]) => {
    const text: unknown = path.reduce<unknown>((place, step) => Reflect.get(Object(place), step), document);
    return String(text).replaceAll(/\s+/g, ' ');
  };

  it('say in the same words until when a stream lives', async () => {
    const stream = ['paths', '/v1/users/{userId}/conversations/{conversationId}/stream', 'get', 'description'];
    for (const text of [
      said(openApi, ...stream),
      said(asyncApi, 'channels', 'conversationEvents', 'description'),
      await page('guides/streaming.md'),
      await page('decisions/journal.md'),
    ]) {
      expect(text).toContain(streamLife);
    }
  });

  it('say alike which failures are worth a repetition, and what is open and what is closed', async () => {
    const about = said(openApi, 'info', 'description');
    const decisions = await page('decisions/conventions.md');
    expect(about).toMatch(/`retryable`\); every 503 can\./);
    expect(await page('guides/errors.md')).toContain('Every 503 is retryable');
    expect(decisions).toContain('Every 503 is retryable');
    expect(about).toMatch(/Response objects are open: .* Request bodies are closed: /);
    expect(said(asyncApi, 'info', 'description')).toContain('objects are open');
    expect(decisions).toContain(
      'Schemas of answers are open (specification, "Versioning", rule 3), bodies of requests closed.',
    );
    expect(await page('choices.md')).not.toMatch(/in answers(\.\*\*)? (they )?are closed/i);
  });
});

/** The document that the command line prints for a service on this port, without any store. */
async function printed(document: 'openapi' | 'asyncapi', port: string): Promise<unknown> {
  const main = join(root, 'dist', 'apps', 'cli', 'src', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is missing: npm run build, or run jest through npm test`);
  const { stdout } = await run(process.execPath, [main, 'contract', document], {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', PARLEY_MODE: 'sandbox', HOST: '127.0.0.1', PORT: port },
    maxBuffer: outputMax,
  });
  return JSON.parse(stdout);
}
