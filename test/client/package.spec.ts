import { PackedProject } from './packed';

const withinMs = 180_000;

let project: PackedProject;
beforeAll(async () => {
  project = await PackedProject.create();
}, withinMs);
afterAll(() => project.remove());

/** The program that both builds run, which import the package as `parley`. */
const asks = `
const client = new parley.ParleyClient({ baseUrl: 'http://127.0.0.1:2', partnerKey: 'k', userToken: 't', retry: { attempts: 1 } });
client.api.GET('/v1/users/me').catch((error) => {
  const signed = parley.signWebhook({ secret: 'A'.repeat(43), id: 'msg_1', body: '{}' });
  const verified = parley.verifyWebhook({ secret: 'A'.repeat(43), headers: signed, body: '{}' });
  console.log(JSON.stringify([error.name, error.outcome, error instanceof parley.ParleyUnreachable, verified, parley.reasons.length]));
});`;
const answers = ['ParleyUnreachable', 'not_sent', true, true, 32];

/** A partner's use of the types; the compiler must refuse the marked lines. */
const typed = `
import { ParleyClient, isReason, reasons, runStatuses, type JournalFrame, type Reason, type RunStatus, type Schemas } from '@parley/client';

const parley = new ParleyClient({ baseUrl: '', partnerKey: '', userToken: async () => 'token' });
const path = { userId: 'u' };

export async function use(): Promise<void> {
  const { data: run } = await parley.api.GET('/v1/users/{userId}/agent-runs/{runId}', { params: { path: { ...path, runId: 'r' } } });
  const status: RunStatus = run.status;
  const known: readonly RunStatus[] = runStatuses;
  // The id is made by the client when there is none.
  const body = { conversationId: 'c', input: { text: 'hello' } };
  const { data: started } = await parley.api.POST('/v1/users/{userId}/agent-runs', { params: { path }, body });
  const seq: number = started.seq;
  for await (const item of parley.pages('/v1/users/{userId}/agent-runs', { params: { path, query: { limit: 5 } } })) {
    const same: Schemas['Run'] = item;
    console.log(same.id, status, known, seq);
  }
  // @ts-expect-error no such path
  await parley.api.GET('/v1/nothing');
  // @ts-expect-error no such method at this path
  await parley.api.DELETE('/v1/users/me');
  // @ts-expect-error a parameter is missing
  await parley.api.GET('/v1/users/{userId}/agent-runs/{runId}', { params: { path } });
  // @ts-expect-error the whole second argument is missing
  await parley.api.GET('/v1/users/{userId}/agent-runs');
  // @ts-expect-error no member of the body
  await parley.api.POST('/v1/users/{userId}/agent-runs', { params: { path }, body: { ...body, inputs: 1 } });
  // @ts-expect-error not a list
  parley.pages('/v1/users/me');
  // @ts-expect-error no such status
  if (run.status === 'paused') console.log();
}

export function words(frame: JournalFrame): string {
  if (frame.payload.type === 'agent.tool_progress') return frame.payload.message ?? '';
  if (frame.delivery === 'live') return frame.payload.text;
  switch (frame.payload.type) {
    case 'run.ended':
      return frame.seq + frame.payload.status;
    // @ts-expect-error no such event
    case 'run.exploded':
      return '';
    default:
      return frame.payload.at;
  }
}

export function reasonOf(error: unknown): 'run_active' | null {
  const all: readonly Reason[] = reasons;
  return isReason(error, 'run_active') && all.length > 0 ? error.reason : null;
}
`;

describe('the package, from its tarball', () => {
  it('holds the two builds with their types, a README with its pages and a license, and nothing else', () => {
    const stray = project.files.filter(
      (path) => !/^(dist\/(esm|cjs)\/[\w./-]+|docs\/[\w-]+\.md|package\.json|README\.md|LICENSE)$/.test(path),
    );
    expect(stray).toEqual([]);
    expect(project.files).toEqual(expect.arrayContaining(['README.md', 'dist/esm/index.d.ts', 'dist/cjs/index.d.ts']));
  });

  it('depends on nothing of Nest, nor of the service', () => {
    expect(Object.keys(project.manifest.dependencies ?? {}).sort()).toEqual([
      'eventsource-parser',
      'openapi-fetch',
      'openapi-typescript-helpers',
      'standardwebhooks',
    ]);
    expect(project.manifest).toMatchObject({ name: '@parley/client', license: 'Apache-2.0', sideEffects: false });
    expect(JSON.stringify(project.manifest)).not.toMatch(/nest|@app/i);
  });

  it('is imported by an ES module', async () => {
    await project.write('main.mjs', `import * as parley from '@parley/client';\n${asks}`);
    expect(JSON.parse(await project.node('main.mjs'))).toEqual(answers);
  });

  it('is required by a CommonJS module', async () => {
    await project.write('main.cjs', `const parley = require('@parley/client');\n${asks}`);
    expect(JSON.parse(await project.node('main.cjs'))).toEqual(answers);
  });

  it(
    'has types that hold in an ES module and in a CommonJS module (node16)',
    async () => {
      const names = ['use-esm.mts', 'use-cjs.cts'];
      for (const name of names) await project.write(name, typed);
      await project.compile(names, 'node16', 'package');
    },
    withinMs,
  );

  it(
    'has types that hold where a bundler resolves them',
    async () => {
      await project.write('use-bundled.ts', typed);
      await project.compile(['use-bundled.ts'], 'bundler');
    },
    withinMs,
  );
});
