import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf, production, secretKey } from '../test/environments';
import { type Configuration, readConfiguration } from './configuration';

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

  it('has its metrics on loopback, wherever it listens, unless told otherwise', () => {
    const { env } = readConfiguration({ ...production, HOST: '0.0.0.0' });
    expect(env.MANAGEMENT_HOST).toBe('127.0.0.1');
    expect(readConfiguration({ ...production, MANAGEMENT_HOST: '10.0.0.7' }).env.MANAGEMENT_HOST).toBe('10.0.0.7');
    expect(messageOf({ MANAGEMENT_HOST: '0.0.0.0' })).toMatch(
      /MANAGEMENT_HOST: sandbox mode listens on loopback only$/,
    );
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

  it('demands what near-intents moves money with', () => {
    expect(
      messageOf({ ...production, SOLVER_RELAY_TOKEN: '' })
        .split('\n')
        .slice(1),
    ).toEqual(['  SOLVER_RELAY_TOKEN: must be set, since the relay takes nothing without it']);
    const subject = { WALLET_PROVIDER: 'near-intents', OIDC_MAIN_ACCOUNT_CLAIM: 'sub' };
    expect(messageOf(subject)).toContain('OIDC_MAIN_ACCOUNT_CLAIM: must name a claim with an account on NEAR');
    expect(readConfiguration({ ...subject, WALLET_PROVIDER: 'sandbox' }).env.OIDC_MAIN_ACCOUNT_CLAIM).toBe('sub');
    expect(readConfiguration({ WALLET_PROVIDER: 'near-intents' }).env.SOLVER_RELAY_TOKEN).toBeUndefined();
  });

  it('takes an empty value for none', () => {
    expect(readConfiguration({ DATABASE_URL: '', WEB_ORIGIN: '', PORT: '' }).env).toMatchObject({ PORT: 8080 });
    expect(messageOf({ ...production, OIDC_ISSUER: '', PARLEY_SECRET_KEY: '' })).toMatch(/SECRET_KEY.*\n.*OIDC_ISSUER/);
  });

  it.each(['esdb://a:2113?tls=false', 'esdb+discover://a,b', 'unix:/run/store'])('takes the event store %s', (url) => {
    expect(readConfiguration({ EVENTSTORE_URL: url }).env.EVENTSTORE_URL).toBe(url);
  });
});

describe('the secret key of production', () => {
  const weak = 'PARLEY_SECRET_KEY: is no random key: make one with openssl rand -base64 32';
  it.each([
    ['zeros', Buffer.alloc(32)],
    ['one byte again and again', Buffer.alloc(64, 7)],
    ['a word again and again', Buffer.from('secret'.repeat(8))],
    ['numbers in a row', Buffer.from(Array.from({ length: 48 }, (_, place) => place))],
  ])('refuses a secret key of %s, which nothing can allow', (_what, key) => {
    const allowed = { ALLOW_INSECURE_STORES: 'true', ALLOW_INSECURE_ISSUER: 'true', ALLOW_INSECURE_PROVIDERS: 'true' };
    const environment = { ...production, ...allowed, PARLEY_SECRET_KEY: key.toString('base64') };
    expect(messageOf(environment).split('\n').slice(1)).toEqual([`  ${weak}`]);
  });

  it('takes any random secret key', () => {
    for (let count = 0; count < 1_000; count += 1) {
      const PARLEY_SECRET_KEY = randomBytes(32).toString('base64');
      expect(readConfiguration({ ...production, PARLEY_SECRET_KEY }).env).toMatchObject({ PARLEY_SECRET_KEY });
    }
  });
});

describe('several secret keys', () => {
  const random = () => randomBytes(32).toString('base64');
  const problem = (...entries: readonly string[]) => messageOf({ PARLEY_SECRET_KEY: entries.join(',') }).split('\n')[1];

  it('are separated by commas, with or without spaces', () => {
    const PARLEY_SECRET_KEY = `${random()}, ${random()} ,${random()}`;
    expect(readConfiguration({ PARLEY_SECRET_KEY }).env).toMatchObject({ PARLEY_SECRET_KEY });
    expect(messageOf({ PARLEY_SECRET_KEY: 'short' })).toMatch(/: must be at least 32 bytes in base64$/);
  });

  it('are refused with the place of the one that is wrong, and without its value', () => {
    const same = random();
    expect([
      problem(random(), 'c2hvcnQ='),
      problem(random(), '', random()),
      problem(random(), random(), ''),
      problem(same, random(), same.replace(/=+$/, '')),
      problem(...Array.from({ length: 9 }, random)),
    ]).toEqual([
      '  PARLEY_SECRET_KEY: entry 2 of 2 must be at least 32 bytes in base64',
      '  PARLEY_SECRET_KEY: entry 2 of 3 must be at least 32 bytes in base64',
      '  PARLEY_SECRET_KEY: entry 3 of 3 must be at least 32 bytes in base64',
      '  PARLEY_SECRET_KEY: entry 3 of 3 must differ from all entries before it',
      '  PARLEY_SECRET_KEY: must be 8 keys at most, newest first, with commas between',
    ]);
    expect(readConfiguration({ PARLEY_SECRET_KEY: Array.from({ length: 8 }, random).join(',') })).toBeDefined();
  });

  it('are each refused in production where a sandbox made them, or nobody drew them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-configuration-'));
    writeFileSync(join(folder, 'secrets.json'), JSON.stringify({ secretKey, partnerKey: 'pk_' }));
    const PARLEY_SECRET_KEY = [random(), secretKey, Buffer.alloc(32, 7).toString('base64')].join(',');
    const message = messageOf({ ...production, PARLEY_DATA_DIR: folder, PARLEY_SECRET_KEY });
    rmSync(folder, { recursive: true });
    expect(message.split('\n').slice(1)).toEqual([
      '  PARLEY_SECRET_KEY: entry 2 of 3 was generated for a sandbox',
      '  PARLEY_SECRET_KEY: entry 3 of 3 is no random key: make one with openssl rand -base64 32',
    ]);
  });
});

describe('Configuration', () => {
  const of = (environment: NodeJS.ProcessEnv): Configuration => readConfiguration(environment);

  it('knows where partners reach it', () => {
    expect(of({ PORT: '9000' }).baseUrl).toBe('http://127.0.0.1:9000');
    expect(of({ HOST: '::1' }).baseUrl).toBe('http://[::1]:8080');
    expect(of({ HOST: '::1' }).publicUrl).toBe('http://[::1]:8080');
    expect(of({ PUBLIC_URL: 'https://agents.example/parley/' }).publicUrl).toBe('https://agents.example/parley');
  });

  it('has its own issuer only in a sandbox, also when another replica of it is named', () => {
    const own = 'http://127.0.0.1:8080/sandbox/issuer';
    expect([of({}).issuers, of({}).sandboxIssuer, of({}).isOwnIssuer(own)]).toEqual([[own], own, true]);
    const replica = 'http://127.0.0.1:9/sandbox/issuer';
    const two = of({ OIDC_ISSUER: `https://id.example, ${replica}` });
    expect([two.sandboxIssuer, ...two.issuers.map((issuer) => two.isOwnIssuer(issuer))]).toEqual([
      replica,
      false,
      true,
    ]);
    expect(two.issuers.map((issuer) => two.clockSkewMsOf(issuer))).toEqual([30_000, 0]);
    expect(of({ OIDC_ISSUER: 'https://id.example' }).sandboxIssuer).toBe('https://id.example');
    expect(of(production).isOwnIssuer(own)).toBe(false);
  });

  it('takes several issuers and audiences, to the letter', () => {
    const named = { OIDC_ISSUER: 'https://a.example/ ,https://b.example/realm', OIDC_AUDIENCE: 'one two,three' };
    expect(of(named).issuers).toEqual(['https://a.example/', 'https://b.example/realm']);
    expect(of(named).env.OIDC_AUDIENCE).toEqual(['one', 'two', 'three']);
    expect(of({}).env.OIDC_AUDIENCE).toEqual(['parley']);
    for (const OIDC_ISSUER of ['id.example', 'https://', ',', 'https://a.example https://b.example?x=1', 'ftp://a'])
      expect(messageOf({ OIDC_ISSUER })).toMatch(/^ {2}OIDC_ISSUER: must name 1 to 16 issuers/m);
    expect(
      messageOf({ ...named, PARLEY_MODE: 'production', OIDC_ISSUER: 'https://a.example, http://x/sandbox/issuer/' }),
    ).toMatch(/OIDC_ISSUER: is a sandbox's issuer/);
  });

  it('has operators of a sandbox by its own issuer, and of production by the one that is named', () => {
    const other = 'https://staff.example';
    expect(of({}).operatorIssuer).toBe('http://127.0.0.1:8080/sandbox/issuer');
    expect(of({ OPERATOR_ISSUER: other }).operatorIssuer).toBe(other);
    // The issuer of users implies nothing about operators.
    expect(of({ OIDC_ISSUER: other }).operatorIssuer).toBeNull();
    expect(of(production).operatorIssuer).toBeNull();
    expect(of({ ...production, OPERATOR_ISSUER: other }).operatorIssuer).toBe(other);
    for (const OPERATOR_ISSUER of ['staff.example', `${other}, https://b.example`, `${other}?x=1`])
      expect(messageOf({ OPERATOR_ISSUER })).toMatch(/^ {2}OPERATOR_ISSUER: must name one issuer/m);
    const ofSandbox = { ...production, OPERATOR_ISSUER: 'https://x.example/sandbox/issuer' };
    expect(messageOf(ofSandbox)).toContain("OPERATOR_ISSUER: is a sandbox's issuer");
  });

  it('never takes the tokens of users for those of operators', () => {
    const message = /OPERATOR_AUDIENCE: must be none of OIDC_AUDIENCE/;
    expect(messageOf({ OIDC_AUDIENCE: 'shop, parley-operator' })).toMatch(message);
    expect(messageOf({ OPERATOR_AUDIENCE: 'parley' })).toMatch(message);
    expect(of({ OIDC_AUDIENCE: 'shop', OPERATOR_AUDIENCE: 'staff' }).env.OPERATOR_AUDIENCE).toBe('staff');
  });

  it('takes the keys of one issuer by their address', () => {
    const OIDC_JWKS_URI = 'https://a.example/keys';
    expect(of({ OIDC_ISSUER: 'https://a.example', OIDC_JWKS_URI }).env.OIDC_JWKS_URI).toBe(OIDC_JWKS_URI);
    for (const OIDC_ISSUER of ['', 'https://a.example,https://b.example'])
      expect(messageOf({ OIDC_ISSUER, OIDC_JWKS_URI })).toMatch(/OIDC_JWKS_URI: must go with one OIDC_ISSUER/);
  });
});
