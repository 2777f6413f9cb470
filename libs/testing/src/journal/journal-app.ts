import { request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EventStore } from '@app/event-store';
import { Accounts, createHttpApp, PartnerKeys, RateWindows } from '@app/http';
import { conversationKind } from '@app/conversations';
import { Clock, type UserId } from '@app/kernel';
import { Database, Notifications, Processes } from '@app/read-store';
import { Metrics, NoTracing, Tracing } from '@app/runtime';
import { Configuration, readConfiguration } from '@app/settings';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { goodKey } from '../http/loopback-app';
import { AccountsInMemory, KeysInMemory, SetClock, WindowsInMemory } from '../http/ports-in-memory';
import { LoopbackIssuer } from '../identity';
import { KeyRing } from '@app/sealing';
import { JournalModule, LiveFrames, LiveFramesModule } from '@app/journal';
import type { TestStores } from './journal-store';

/** One replica of an api that serves only the journal, on a loopback port. */
export interface JournalApp {
  readonly app: NestFastifyApplication;
  readonly port: number;
  readonly issuer: LoopbackIssuer;
  readonly accounts: AccountsInMemory;
  readonly keys: KeysInMemory;
  readonly live: LiveFrames;
  get<Part>(part: abstract new (...parameters: never[]) => Part): Part;
  /** Creates the account of a subject, and returns it with the headers that act for it. */
  user(
    subject: string,
    expiresInSeconds?: number,
    key?: string,
  ): Promise<{ userId: UserId; headers: Record<string, string> }>;
  stop(): Promise<void>;
}

export async function startJournalApp(stores: TestStores, env: Record<string, string> = {}): Promise<JournalApp> {
  const issuer = new LoopbackIssuer();
  await issuer.start();
  const [keys, accounts] = [new KeysInMemory(), new AccountsInMemory(0)];
  keys.add(goodKey);
  const configuration = new Configuration(
    readConfiguration({
      OIDC_ISSUER: issuer.issuer,
      OIDC_CLOCK_SKEW_SECONDS: '0',
      LOG_LEVEL: 'error',
      PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      RATE_LIMIT_KEY_PER_MINUTE: '100000000',
      RATE_LIMIT_USER_PER_MINUTE: '100000000',
      REQUESTS_AT_ONCE: '1000000',
      ...env,
    }).env,
  );
  const processes = new Processes(stores.database, { api: true, worker: false });
  await processes.start();
  const module = root(configuration, stores, { keys, accounts, processes });
  const app = await createHttpApp(module, configuration, configuration.env.ARTIFACT_LIMIT_BYTES);
  await app.listen(0, '127.0.0.1');
  return {
    app,
    issuer,
    accounts,
    keys,
    live: app.get(LiveFrames, { strict: false }),
    port: (app.getHttpServer().address() as AddressInfo).port,
    get: (part) => app.get(part, { strict: false }),
    user: async (subject, expiresInSeconds = 3600, key = goodKey) => {
      const userId = accounts.add(issuer.issuer, subject);
      const token = await issuer.token({ sub: subject, exp: Math.floor(Date.now() / 1000) + expiresInSeconds });
      return { userId, headers: { 'x-api-key': key, authorization: `Bearer ${token}` } };
    },
    stop: async () => {
      await app.close();
      await processes.stop();
      await issuer.stop();
    },
  };
}

function root(
  configuration: Configuration,
  stores: TestStores,
  bound: { keys: KeysInMemory; accounts: AccountsInMemory; processes: Processes },
): DynamicModule {
  const { store, database, notifications } = stores;
  const providers = [
    { provide: PartnerKeys, useValue: bound.keys },
    { provide: Accounts, useValue: bound.accounts },
    { provide: RateWindows, useValue: new WindowsInMemory() },
    { provide: Clock, useValue: new SetClock() },
    { provide: EventStore, useValue: store },
    { provide: KeyRing, useValue: stores.keys },
    { provide: Database, useValue: database },
    { provide: Notifications, useValue: notifications },
    { provide: Processes, useValue: bound.processes },
    { provide: Configuration, useValue: configuration },
    Metrics,
    { provide: Tracing, useClass: NoTracing },
  ];
  return {
    module: class Root {},
    global: true,
    imports: [CqrsModule.forRoot(), JournalModule.register(conversationKind, () => ({})), LiveFramesModule],
    providers,
    exports: providers,
  };
}

/** One SSE connection, read by a parser that follows the standard. */
export class StreamClient {
  readonly messages: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  retryMs = 0;
  /** All text as received. */
  text = '';
  ended: 'no' | 'cleanly' | 'cut' = 'no';
  private wake = (): void => undefined;

  private constructor(
    readonly response: IncomingMessage,
    readonly close: () => void,
  ) {
    const parser = createParser({
      onEvent: (message) => this.messages.push(message),
      onComment: (comment) => this.comments.push(comment),
      onRetry: (retryMs) => (this.retryMs = retryMs),
    });
    response.setEncoding('utf8').on('data', (text: string) => {
      this.text += text;
      parser.feed(text);
      this.wake();
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      this.ended = response.complete ? 'cleanly' : 'cut';
      this.wake();
    });
  }

  /** Opens a stream; if the service refuses, the client has no messages and the problem is its `text`. */
  static open(port: number, path: string, headers: Record<string, string>): Promise<StreamClient> {
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false });
      outgoing.on('response', (response) => resolve(new StreamClient(response, () => outgoing.destroy())));
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  /** The `data` of all messages. */
  get events(): { delivery: string; seq?: number; requestId?: string; payload: { type: string; text?: string } }[] {
    return this.messages.map((message) => JSON.parse(message.data) as (typeof this.events)[number]);
  }

  /** The SSE ids of all durable messages. */
  get seqs(): number[] {
    return this.messages.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]));
  }

  /** Waits until the condition holds. Throws after two minutes. */
  async until(condition: (client: this) => boolean): Promise<void> {
    const deadline = Date.now() + 120_000;
    while (!condition(this)) {
      if (Date.now() > deadline)
        throw new Error(`waited two minutes for nothing, with  ${this.messages.length} messages, ended: ${this.ended}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
