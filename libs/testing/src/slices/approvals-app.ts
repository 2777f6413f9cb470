import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandBus } from '@nestjs/cqrs';
import { fingerprintOf } from '@app/canonical';
import { startServing, type RunningProcess } from '@app/composition';
import { fingerprintVersion, reviewedDocument, type Contract } from '@app/consent';
import { conversationKind, type OpenApproval, untuned } from '@app/conversations';
import { FoldedStates, Streams } from '@app/event-store';
import { startEventStoreServer, type EventStoreServer } from '@app/event-store-server';
import {
  words,
  asId,
  Clock,
  instantOf,
  type ApprovalId,
  type ConversationId,
  type JsonValue,
  type MessageId,
  type RunId,
  type RunKey,
  type ToolCallId,
  type UserId,
  type WalletId,
  type WithOpenWords,
} from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { Database, ProjectionRunner, ReadGate } from '@app/read-store';
import { ExecutionSlots } from '@app/runs';
import { readConfiguration } from '@app/settings';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { requestJson, TestClient } from '../client';
import { freePorts } from '../processes';
import { madeDatabase } from '../deployment/made-database';
import { createTestDatabase, type TestDatabase } from '../postgres';
import { testCause } from './slices-app';

export const capacity = 3;

const contract: Contract = {
  type: 'ledger_intents_transfer',
  actions: [{ kind: 'withdraw_to_owner', input: { any: true }, quantity: { kind: 'all_of_input' } }],
};

/** A run that waits for approvals, in the state that the test created. */
export interface Waiting {
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly approvals: readonly WithOpenWords<OpenApproval>[];
}

/**
 * Replicas of the api that project, without a worker: the test itself acts for the worker, so that each run stays in
 * the state that it was given. The test also sets whether the deployment has a live worker.
 */
export class ApprovalsApp {
  private readonly replicas: RunningProcess[] = [];
  readonly baseUrls: string[] = [];
  private partnerKey = '';

  private constructor(
    private readonly database: TestDatabase,
    private readonly folder: string,
    private readonly server: EventStoreServer,
  ) {}

  static async start(replicas: number): Promise<ApprovalsApp> {
    const database = await createTestDatabase(madeDatabase);
    const folder = await mkdtemp(join(tmpdir(), 'approvals-test-'));
    const listen = { socketPath: join(folder, 's') };
    const app = new ApprovalsApp(database, folder, await startEventStoreServer({ databaseUrl: database.url, listen }));
    const ports = await freePorts(2 * replicas);
    const env = {
      DATABASE_URL: database.url,
      EVENTSTORE_URL: app.server.address,
      OIDC_ISSUER: `http://127.0.0.1:${ports[0]}/sandbox/issuer`,
      LOG_LEVEL: 'error',
      PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
      EXECUTION_CAPACITY: String(capacity),
      RATE_LIMIT_USER_PER_MINUTE: '1000000',
      RATE_LIMIT_KEY_PER_MINUTE: '1000000',
      REQUESTS_AT_ONCE: '1000000',
    };
    for (let nth = 0; nth < replicas; nth += 1) {
      const own = { PORT: String(ports[nth]), MANAGEMENT_PORT: String(ports[replicas + nth]) };
      const configuration = readConfiguration({ ...env, ...own });
      app.replicas.push(await startServing(configuration, { api: true, worker: false }));
      app.baseUrls.push(`http://127.0.0.1:${ports[nth]}`);
    }
    app.get(ProjectionRunner).start();
    while (!app.get(ReadGate).projecting) await sleep(10);
    const minted = await app.get(CommandBus).execute(new MintPartnerKey({ label: 'test', cause: testCause() }));
    app.partnerKey = minted.ok ? minted.value.key : '';
    await app.workerHeard(true);
    return app;
  }

  async stop(): Promise<void> {
    await this.get(ProjectionRunner).stop();
    for (const replica of this.replicas) await replica.stop();
    await this.server.close();
    await this.database.drop();
    await rm(this.folder, { recursive: true });
  }

  /** Returns the first replica's instance of a class. */
  get<Value>(token: NewableFunction & { readonly prototype: Value }): Value {
    return this.replicas[0]!.app.get<Value>(token, { strict: false });
  }

  /** Sets whether the deployment has a live worker. */
  async workerHeard(heard: boolean): Promise<void> {
    const database = this.get(Database);
    await database.query('DELETE FROM processes WHERE worker');
    // A process considers a worker alive for a second.
    if (!heard) return sleep(1_100);
    await database.query(
      "INSERT INTO processes (id, api, worker, heartbeat_at) VALUES ($1, false, true, now() + interval '1 hour')",
      [randomUUID()],
    );
  }

  async newUser(): Promise<TestClient> {
    const [url = ''] = this.baseUrls;
    const token = await requestJson('POST', `${url}/sandbox/v1/tokens`, { subject: randomUUID() });
    const headers = { authorization: `Bearer ${String(token.body['accessToken'])}`, 'x-api-key': this.partnerKey };
    const { body } = await requestJson('POST', `${url}/v1/users`, undefined, headers);
    return new TestClient(url, this.partnerKey, String(token.body['accessToken']), String(body['userId']));
  }

  /** Creates a live run, in a new conversation unless one is given; it is running, or waits for `approvals` approvals. */
  async run(user: TestClient, { approvals = 0, ttlMs = 86_400_000, in: conversation = '' } = {}): Promise<Waiting> {
    const created = conversation === '' ? await user.post('/conversations', {}) : null;
    const conversationId = asId<ConversationId>(created === null ? conversation : String(created.body['id']));
    const runId = asId<RunId>(uuidV7());
    const run = { conversationId, runId, runKey: asId<RunKey>(uuidV7()) };
    const userId = asId<UserId>(user.userId);
    const at = this.get(Clock).now();
    await this.give(conversationId, { ...start, ...run, at, userId, messageId: asId<MessageId>(uuidV7()) });
    await this.give(conversationId, { type: 'ClaimRun', at, runId, segment: 1 });
    const open = Array.from({ length: approvals }, (_, nth) => this.approval(userId, `${runId}/1/${nth}`, ttlMs));
    if (approvals === 0) return { ...run, approvals: [] };
    const calls = open.map(({ toolCallId, tool, input }) => ({
      toolCallId: toolCallId ?? asId<ToolCallId>(''),
      tool,
      input,
    }));
    const step = {
      model: 'scripted',
      inputTokens: 1,
      cachedInputTokens: 0,
      outputTokens: 1,
      costMicroCents: 0,
      heard: 0,
      estimated: false,
      reasoning: null,
      message: null,
      returned: [],
      end: null,
    };
    await this.give(conversationId, { type: 'RecordStep', at, runId, attempt: 1, ...step, calls });
    await this.give(conversationId, { type: 'SuspendRun', at, runId, attempt: 1, approvals: open });
    return { ...run, approvals: open };
  }

  /** Ends a live run, and releases its slot, as a worker would. */
  async end({ conversationId, runId, runKey }: Waiting): Promise<void> {
    const at = this.get(Clock).now();
    const run = (await this.state(conversationId)).openRuns[runId]!;
    if (run.status === 'queued') await this.give(conversationId, { type: 'ClaimRun', at, runId, segment: run.segment });
    const attempt = run.status === 'queued' ? run.attempt + 1 : run.attempt;
    const end = { status: 'completed', response: null, output: null, failure: null } as const;
    await this.give(conversationId, { type: 'EndRun', at, runId, attempt, end });
    await this.get(ExecutionSlots).release({ runKey, segment: run.segment });
  }

  /** Runs a command on a conversation. Throws unless it is accepted. */
  async give(id: ConversationId, command: ConversationCommand): Promise<void> {
    const done = await this.get(Streams).decide(conversationKind, id, command, testCause(), { visible: true });
    if (!done.ok) throw new Error(`${command.type}: ${JSON.stringify(done.refusal)}`);
  }

  /** Returns the types of the conversation's events. */
  async journal(user: TestClient, conversationId: string): Promise<string[]> {
    const { body } = await user.get<{ data: { payload: { type: string } }[] }>(
      `/conversations/${conversationId}/events?limit=1000`,
    );
    return body.data.map(({ payload }) => payload.type);
  }

  async state(conversationId: ConversationId) {
    return (await this.get(FoldedStates).fresh(conversationKind, conversationId)).state;
  }

  /** Returns the segments that hold a slot, as `<runKey>/<segment>`. */
  async slots(): Promise<string[]> {
    const rows = await this.get(Database).query<{ slot: string }>(
      "SELECT run_key || '/' || segment AS slot FROM execution_slots ORDER BY 1",
    );
    return rows.map(({ slot }) => slot);
  }

  private approval(userId: UserId, toolCallId: string, ttlMs: number): WithOpenWords<OpenApproval> {
    const expiresAt = instantOf(this.get(Clock).epochMs() + ttlMs);
    const review = {
      approvalId: asId<ApprovalId>(uuidV7()),
      kind: 'agent_tool' as const,
      userId,
      walletId: asId<WalletId>(uuidV7()),
      tool: 'intents_transfer',
      input: { contract, 10: 'ten', z: [1, 0.5, null], a: 'Grüße \u{1F600}' } as unknown as JsonValue,
      contract,
      expiresAt,
      summary: words`Withdraw everything of one token to your main account.`,
      terms: [{ name: 'what' as const, text: words`Withdraw everything of one token` }],
      fingerprintVersion,
    };
    const fingerprint = fingerprintOf(reviewedDocument(review));
    const { userId: _, ...open } = review;
    return { ...open, fingerprint, toolCallId: asId<ToolCallId>(toolCallId), automationId: null };
  }
}

type ConversationCommand = Parameters<typeof conversationKind.decider.decide>[0];

const start = {
  type: 'StartRun',
  origin: 'user',
  automationId: null,
  occurrenceId: null,
  request: { input: { text: 'a test' } },
  resolved: { model: 'parley/rules', tools: [], maxSteps: 16, ...untuned },
  agentInstructions: null,
  holder: null,
  alone: false,
} as const;
