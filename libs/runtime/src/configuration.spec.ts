import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Configuration } from './configuration';
import { ConfigurationError, readConfiguration } from './configuration';

const secretKey = Buffer.alloc(32, 7).toString('base64');
const production = {
  PARLEY_MODE: 'production',
  PARLEY_SECRET_KEY: secretKey,
  OIDC_ISSUER: 'https://id.example',
  WALLET_PROVIDER: 'near-intents',
};

describe('readConfiguration', () => {
  it('needs nothing in a sandbox', () => {
    const configuration = readConfiguration({});
    expect(configuration.sandbox).toBe(true);
    expect(configuration.env).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8080,
      EXECUTION_CAPACITY: 64,
      LOG_REQUESTS: true,
    });
    expect([configuration.env.DATABASE_URL, configuration.env.PARLEY_SECRET_KEY]).toEqual([undefined, undefined]);
  });

  it('reports all that is wrong at once, by name and rule', () => {
    const wrong = {
      PARLEY_MODE: 'staging',
      PORT: 'eighty',
      EXECUTION_CAPACITY: '0',
      BUDGET_DAY_CENTS: '-5',
      PARLEY_SECRET_KEY: 'short',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      EVENTSTORE_URL: 'http://admin:changeit@store:2113',
      NEAR_RPC_URL: 'https://user:key@node.example',
      LOG_LEVEL: 'loud',
      LOG_REQUESTS: 'perhaps',
    };
    const lines = messageOf(wrong).split('\n').slice(1);
    expect(lines.map((line) => /^ {2}(\w+): ./.exec(line)?.[1]).sort()).toEqual(Object.keys(wrong).sort());
    expect(lines).toContain('  PARLEY_MODE: must be one of sandbox, production');
    expect(lines).toContain('  EXECUTION_CAPACITY: must be a whole number from 1 to 999999999');
    expect(lines).toContain('  NEAR_RPC_URL: must begin with http:// or https://, without credentials');
    expect(lines).toContain('  DATABASE_URL: must begin with postgres:// or postgresql://');
  });

  it('never quotes a value', () => {
    const wrong = [
      'PARLEY_MODE',
      'PORT',
      'LOG_LEVEL',
      'LOG_REQUESTS',
      'STREAMS_PER_USER',
      'DATABASE_URL',
      'EVENTSTORE_URL',
    ];
    const message = messageOf(Object.fromEntries(wrong.map((name) => [name, 'pk_live_misplaced'])));
    expect(message).not.toContain('misplaced');
    expect(messageOf({ PARLEY_SECRET_KEY: 'not base64 but long enough to be mistaken for a key' })).not.toContain(
      'mistaken',
    );
  });

  it.each(['127.0.0.1', '::1', 'localhost'])('lets a sandbox listen on %s', (HOST) => {
    expect(readConfiguration({ HOST }).env.HOST).toBe(HOST);
  });

  it.each(['0.0.0.0', '::', '10.0.0.7', '127.0.0.1.example'])('does not let a sandbox listen on %s', (HOST) => {
    expect(messageOf({ HOST, PORT: '0' })).toMatch(/^ {2}PORT: .*\n {2}HOST: sandbox mode listens on loopback only$/m);
  });

  it('refuses everything of a sandbox in production, at once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-configuration-'));
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ secretKey, partnerKey: 'pk_' }));
    const sandbox = { PARLEY_MODE: 'production', PARLEY_DATA_DIR: folder, PARLEY_SECRET_KEY: secretKey };
    const message = messageOf({ ...sandbox, OIDC_ISSUER: 'http://127.0.0.1:8080/sandbox/issuer/', PORT: 'eighty' });
    rmSync(folder, { recursive: true });
    expect(message.split('\n').slice(1)).toEqual([
      expect.stringContaining('  PORT: '),
      '  WALLET_PROVIDER: production takes near-intents only',
      "  OIDC_ISSUER: is a sandbox's issuer",
      '  PARLEY_SECRET_KEY: was generated for a sandbox',
    ]);
    expect(message).not.toContain(secretKey);
  });

  it('demands a secret key, an issuer and real wallets in production, which may listen anywhere', () => {
    const message = messageOf({ PARLEY_MODE: 'production' });
    expect(message.split('\n').slice(1)).toEqual([
      '  PARLEY_SECRET_KEY: must be set',
      '  OIDC_ISSUER: must be set',
      '  WALLET_PROVIDER: production takes near-intents only',
    ]);
    expect(messageOf({ ...production, WALLET_PROVIDER: 'sandbox' })).toContain('WALLET_PROVIDER');
    expect(readConfiguration({ ...production, HOST: '0.0.0.0' }).env.HOST).toBe('0.0.0.0');
  });

  it('takes an empty value for none', () => {
    expect(readConfiguration({ DATABASE_URL: '', WEB_ORIGIN: '', PORT: '' }).env).toMatchObject({ PORT: 8080 });
    expect(messageOf({ ...production, OIDC_ISSUER: '', PARLEY_SECRET_KEY: '' })).toMatch(/SECRET_KEY.*\n.*OIDC_ISSUER/);
  });

  it.each(['esdb://a:2113?tls=false', 'esdb+discover://a,b', 'unix:/run/store'])('takes the event store %s', (url) => {
    expect(readConfiguration({ EVENTSTORE_URL: url }).env.EVENTSTORE_URL).toBe(url);
  });
});

describe('Configuration', () => {
  const of = (environment: NodeJS.ProcessEnv): Configuration => readConfiguration(environment);

  it('knows where partners reach it', () => {
    expect(of({ PORT: '9000' }).baseUrl).toBe('http://127.0.0.1:9000');
    expect(of({ HOST: '::1' }).baseUrl).toBe('http://[::1]:8080');
  });

  it('has its own issuer only in a sandbox, also when another replica of it is named', () => {
    expect([of({}).issuer, of({}).ownIssuer]).toEqual(['http://127.0.0.1:8080/sandbox/issuer', true]);
    expect(of({ OIDC_ISSUER: 'http://127.0.0.1:9/sandbox/issuer' }).ownIssuer).toBe(true);
    expect(of({ OIDC_ISSUER: 'https://id.example' }).ownIssuer).toBe(false);
    expect(of(production).ownIssuer).toBe(false);
  });
});

function messageOf(environment: NodeJS.ProcessEnv): string {
  try {
    readConfiguration(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  throw new Error('the environment was accepted');
}
