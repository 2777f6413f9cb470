import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Body, Controller, Module, Param, Query, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  Accounts,
  Caller,
  CallerIdentity,
  createHttpApp,
  Member,
  NoBody,
  operation,
  PartnerKeys,
  QueryMember,
  RateWindows,
  Serves,
} from '@app/http';
import { asId, Clock, type UserId } from '@app/kernel';
import { Metrics, NoTracing, Tracing } from '@app/runtime';
import { Configuration, readConfiguration } from '@app/settings';
import { integer, json, optional, text, uuid, type Schema } from '@app/schema';
import type { Logger } from 'pino';
import { LoopbackIssuer } from '../identity';
import { AccountsInMemory, KeysInMemory, SetClock, WindowsInMemory } from './ports-in-memory';
import { SlowAnswers } from './slow-answers';

class ThingDto {
  @Member(text({ min: 1, max: 10 }))
  name: string;
  @Member(optional(uuid()))
  other?: string;
}

class ThingsQuery {
  @QueryMember(integer({ min: 1, max: 100, default: 50 }))
  limit: number;
}

/** Any schema, because no document is made of these operations. */
const anything: Schema = json();
const things = { summary: 'A thing', answer: anything };
const thingId = { description: 'A thing', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e01' };

const ensureUser = operation('users.ensure', {
  ...things,
  route: 'POST /v1/users',
  account: 'not required',
  body: 'none',
});
const me = operation('users.me', { ...things, route: 'GET /v1/users/me' });
const createThing = operation('things.create', {
  ...things,
  route: 'POST /v1/users/:userId/things',
  status: 201,
  body: ThingDto,
});
const listThings = operation('things.list', { ...things, route: 'GET /v1/users/:userId/things', query: ThingsQuery });
const weighThings = operation('things.weigh', {
  ...things,
  route: 'POST /v1/users/:userId/heavy',
  status: 201,
  weight: 10,
  body: 'none',
});
const getThing = operation('things.get', {
  ...things,
  route: 'GET /v1/users/:userId/things/:thingId',
  parameters: { thingId },
});
const pokeThing = operation('things.poke', {
  ...things,
  route: 'POST /v1/users/:userId/things/:thingId/poke',
  status: 201,
  parameters: { thingId },
  body: 'none',
});
const pourThings = operation('things.pour', {
  ...things,
  route: 'POST /v1/users/:userId/pours',
  body: { stream: 'Anything' },
});
const floodThings = operation('things.flood', { ...things, route: 'GET /v1/users/:userId/flood' });
const waitForThings = operation('things.wait', { ...things, route: 'GET /v1/users/:userId/patience' });
const boom = operation('boom', { ...things, route: 'GET /sandbox/v1/boom' });
const slow = operation('slow', { ...things, route: 'GET /sandbox/v1/slow' });

@Controller()
class ThingsController {
  constructor(private readonly slowAnswers: SlowAnswers) {}

  @Serves(ensureUser)
  ensure(@CallerIdentity() { subject, causeFor }: CallerIdentity, @Body() _body: NoBody) {
    const userId = asId<UserId>(randomUUID());
    causeFor(userId);
    return { userId, subject };
  }
  @Serves(me)
  me(@Caller() { userId, subject, tokenExpiresAt }: Caller) {
    return { userId, subject, expiresAt: tokenExpiresAt };
  }
  @Serves(createThing)
  create(@Body() body: ThingDto) {
    return body;
  }
  @Serves(listThings)
  list(@Query() query: ThingsQuery) {
    return query;
  }
  @Serves(weighThings)
  weigh() {
    return {};
  }
  @Serves(getThing)
  get(@Param('thingId') id: string) {
    return { id };
  }
  @Serves(pokeThing)
  poke(@Param('thingId') id: string) {
    return { id };
  }
  @Serves(pourThings)
  async pour(@Body() body: AsyncIterable<Buffer>) {
    let bytes = 0;
    for await (const chunk of body) bytes += chunk.length;
    return { bytes };
  }
  @Serves(floodThings)
  flood() {
    return { text: 'x'.repeat(32 * 1024 * 1024) };
  }
  @Serves(waitForThings)
  async wait() {
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return {};
  }
  @Serves(boom)
  boom() {
    throw new Error('the password is hunter2');
  }
  @Serves(slow)
  async slow() {
    await this.slowAnswers.due();
    return {};
  }
}

/** A key that every loopback application knows. */
export const goodKey = `pk_${'g'.repeat(43)}`;

export interface Loopback {
  app: NestFastifyApplication;
  url: string;
  port: number;
  issuer: LoopbackIssuer;
  keys: KeysInMemory;
  accounts: AccountsInMemory;
  windows: WindowsInMemory;
  clock: SetClock;
  slow: SlowAnswers;
  stop(): Promise<void>;
}

/** Starts the HTTP core with a small application behind it, listening on a loopback port. */
export async function startLoopback(
  env: Record<string, string> = {},
  log?: Logger,
  issuer = new LoopbackIssuer(),
  controller: Type = ThingsController,
): Promise<Loopback> {
  await issuer.start();
  const [keys, accounts, windows, clock] = [
    new KeysInMemory(),
    new AccountsInMemory(),
    new WindowsInMemory(),
    new SetClock(),
  ];
  const slowAnswers = new SlowAnswers();
  keys.add(goodKey);
  const read = readConfiguration({
    OIDC_ISSUER: issuer.issuer,
    OIDC_CLOCK_SKEW_SECONDS: '0',
    LOG_LEVEL: 'silent',
    PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    BODY_LIMIT_BYTES: '4096',
    KEY_FAILURES_PER_MINUTE: '1000000',
    ...env,
  });
  const root = {
    module: class Root {},
    controllers: [controller],
    providers: [
      { provide: PartnerKeys, useValue: keys },
      { provide: Accounts, useValue: accounts },
      { provide: RateWindows, useValue: windows },
      { provide: Clock, useValue: clock },
      { provide: SlowAnswers, useValue: slowAnswers },
      Metrics,
      { provide: Tracing, useClass: NoTracing },
    ],
  };
  Module({})(root.module);
  const app = await createHttpApp(root, new Configuration(read.env), read.env.ARTIFACT_LIMIT_BYTES, log);
  await app.listen(0, '127.0.0.1');
  const port = (app.getHttpServer().address() as AddressInfo).port;
  return {
    app,
    issuer,
    keys,
    accounts,
    windows,
    clock,
    slow: slowAnswers,
    port,
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      await app.close();
      await issuer.stop();
    },
  };
}

/** A user with an account, and the headers of their requests. */
export interface LoopbackUser {
  readonly userId: UserId;
  readonly token: string;
  readonly headers: Readonly<Record<'x-api-key' | 'authorization', string>>;
}

/** Makes an account of this subject, and a token that admits its user for an hour. */
export async function signIn({ accounts, issuer }: Loopback, subject = 'alice'): Promise<LoopbackUser> {
  const userId = accounts.add(issuer.issuer, subject);
  const token = await issuer.token({ sub: subject });
  return { userId, token, headers: { 'x-api-key': goodKey, authorization: `Bearer ${token}` } };
}
