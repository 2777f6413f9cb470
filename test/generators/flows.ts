/** The main flow through generated clients, written as their users would. */
import { join } from 'node:path';
import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';

interface Run {
  readonly status: string;
  readonly conversationId: string;
}
interface Approval {
  readonly id: string;
  readonly fingerprint: string;
}

/** The calls that the test makes through a client; the answers are the service's. */
interface Calls {
  ensureUser(): Promise<{ userId: string }>;
  createConversation(userId: string): Promise<{ id: string }>;
  startRun(userId: string, conversationId: string, text: string): Promise<{ runId: string }>;
  ensureWallet(userId: string): Promise<unknown>;
  approve(userId: string, approvalId: string, fingerprint: string): Promise<unknown>;
}
interface Reads {
  run(userId: string, runId: string): Promise<Run>;
  pending(userId: string): Promise<readonly Approval[]>;
}
export interface Flow extends Calls {
  untilEnded(userId: string, runId: string): Promise<Run>;
  untilAsked(userId: string): Promise<Approval>;
}

type Call = (...args: unknown[]) => Promise<{ readonly data: never }>;

/** The flow for each generator, given the folder in which its client was compiled. */
export const generatedFlows = {
  '@hey-api/openapi-ts': async (folder: string, user: TestClient) => {
    const sdk = await compiled<Record<string, Call>>(folder, 'hey', 'sdk.gen.js');
    const { client } = await compiled<{ client: { setConfig(config: object): void } }>(folder, 'hey', 'client.gen.js');
    client.setConfig({ baseUrl: user.baseUrl, headers: user.headers, throwOnError: true });
    const call = async (name: string, options: object) => (await named(sdk, name)(options)).data;
    return flowOf({
      ensureUser: () => call('usersEnsure', {}),
      createConversation: (userId) => call('conversationsCreate', { path: { userId }, body: {} }),
      startRun: (userId, conversationId, text) =>
        call('runsStart', { path: { userId }, body: { conversationId, input: { text } } }),
      ensureWallet: (userId) => call('walletsEnsure', { path: { userId } }),
      approve: (userId, approvalId, fingerprint) =>
        call('approvalsApprove', { path: { userId, approvalId }, body: { fingerprint } }),
      run: (userId, runId) => call('runsGet', { path: { userId, runId } }),
      pending: async (userId) =>
        pageOf(await call('approvalsList', { path: { userId }, query: { status: 'pending' } })),
    });
  },

  'swagger-typescript-api': async (folder: string, user: TestClient) => {
    type Api = new (config: object) => { v1: Record<string, Call> };
    const { Api } = await compiled<{ Api: Api }>(folder, 'sta', 'api.js');
    const { v1 } = new Api({ baseUrl: user.baseUrl, baseApiParams: { headers: user.headers } });
    const call = async (name: string, ...args: unknown[]) => (await named(v1, name)(...args)).data;
    return flowOf({
      ensureUser: () => call('usersEnsure'),
      createConversation: (userId) => call('conversationsCreate', userId, {}),
      startRun: (userId, conversationId, text) => call('runsStart', userId, { conversationId, input: { text } }),
      ensureWallet: (userId) => call('walletsEnsure', userId),
      approve: (userId, approvalId, fingerprint) => call('approvalsApprove', userId, approvalId, { fingerprint }),
      run: (userId, runId) => call('runsGet', userId, runId),
      pending: async (userId) => pageOf(await call('approvalsList', userId, { status: 'pending' })),
    });
  },
};

function flowOf({ run, pending, ...calls }: Calls & Reads): Flow {
  return {
    ...calls,
    untilEnded: (userId, runId) =>
      until('the run has ended', async () => {
        const read = await run(userId, runId);
        return ['completed', 'failed', 'aborted'].includes(read.status) ? read : null;
      }),
    untilAsked: (userId) => until('an approval is asked for', async () => (await pending(userId))[0] ?? null),
  };
}

async function compiled<Module>(folder: string, ...names: string[]): Promise<Module> {
  // Reason for the assertion: generated modules have no types here; the compiler has checked them.
  return (await import(join(folder, ...names))) as Module;
}

function named(calls: Record<string, Call>, name: string): Call {
  const call = calls[name];
  if (call === undefined) throw new Error(`the client has no ${name}`);
  return call;
}

const pageOf = ({ data }: { readonly data: readonly Approval[] }) => data;
