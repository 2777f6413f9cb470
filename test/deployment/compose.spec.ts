import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(__dirname, '..', '..');
const composeFile = join(root, 'docker', 'compose.yaml');
const installedWithinMs = 300_000;

/** The variables that an operator must set; none of them has a default. */
const required = {
  POSTGRES_PASSWORD: 'secret',
  PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
  OIDC_ISSUER: 'https://id.example',
  OIDC_MAIN_ACCOUNT_CLAIM: 'account',
  SOLVER_RELAY_TOKEN: 'for-the-relay',
};

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly ports?: readonly unknown[];
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
}

let compose: string;
let services: Readonly<Record<string, Service>>;
beforeAll(async () => {
  const script = join(root, 'scripts', 'debian.mjs');
  const { stdout } = await run(process.execPath, [script, 'docker-compose'], { timeout: installedWithinMs });
  compose = stdout.trim();
  services = (await config(required)).services;
}, installedWithinMs);

/** The file as docker-compose understands it, as JSON. */
async function config(env: Readonly<Record<string, string>>): Promise<{ services: Record<string, Service> }> {
  const withPath = { PATH: process.env['PATH'] ?? '', ...env };
  const { stdout } = await run(compose, ['-f', composeFile, 'config'], { env: withPath });
  // docker-compose 1 prints only YAML, and Debian's package depends on a Python parser for it.
  const script = 'import json,sys,yaml; print(json.dumps(yaml.safe_load(sys.stdin)))';
  const child = run('/usr/bin/python3', ['-c', script]);
  child.child.stdin?.end(stdout);
  // Reason for the assertion: the tests check the file's shape.
  return JSON.parse((await child).stdout) as { services: Record<string, Service> };
}

const ours = (): [string, Service][] => Object.entries(services).filter(([, { image }]) => image === 'parley');
/** Services that only a profile starts; whether docker-compose 1 prints them depends on its version. */
const optional = ['parley', 'prometheus'];
const documented = new Set(
  [...readFileSync(join(root, 'docs', 'configuration.md'), 'utf8').matchAll(/^\| `([A-Z0-9_]+)` \|/gm)].map(
    ([, name]) => name,
  ),
);

describe('docker/compose.yaml', () => {
  it('is two api and two worker processes behind a proxy, over PostgreSQL and an event store', () => {
    const names = ['api-1', 'api-2', 'eventstore', 'postgres', 'proxy', 'worker-1', 'worker-2'];
    expect(
      Object.keys(services)
        .filter((name) => !optional.includes(name))
        .sort(),
    ).toEqual(names);
    const mainOf = (name: string) => services[name]?.command?.at(-1);
    expect(['api-1', 'api-2'].map(mainOf)).toEqual(Array(2).fill('dist/apps/api/src/main.js'));
    expect(['worker-1', 'worker-2'].map(mainOf)).toEqual(Array(2).fill('dist/apps/worker/src/main.js'));
  });

  it('publishes the proxy only, on loopback, and asks every service how it is', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports !== undefined);
    const ofAll = published.filter(([name]) => !optional.includes(name));
    expect(ofAll.map(([name, { ports }]) => [name, ports])).toEqual([['proxy', ['127.0.0.1:8080:8080/tcp']]]);
    for (const [, { ports = [] }] of published)
      for (const port of ports) expect(String(port)).toMatch(/^127\.0\.0\.1:/);
    for (const [name, { healthcheck }] of Object.entries(services))
      expect([name, healthcheck]).toEqual([name, name === 'parley' ? undefined : expect.any(Object)]);
    expect(services['proxy']?.depends_on).toEqual({
      'api-1': { condition: 'service_healthy' },
      'api-2': { condition: 'service_healthy' },
    });
  });

  it('shows metrics to its own network only, where a Prometheus finds them', () => {
    for (const [, { environment, ports }] of ours()) {
      expect(environment).toMatchObject({ MANAGEMENT_HOST: '0.0.0.0' });
      expect(ports ?? []).toEqual([]);
    }
  });

  it('keeps the artifacts of all processes in one place', () => {
    for (const [, { volumes, environment }] of ours()) {
      expect(volumes).toEqual(['artifacts:/data:rw']);
      expect(environment).toMatchObject({ PARLEY_DATA_DIR: '/data', ARTIFACT_STORE: 'directory' });
    }
  });

  it('gives our processes no variable that docs/configuration.md does not document', () => {
    expect(documented.size).toBeGreaterThan(40);
    const given = new Set(ours().flatMap(([, { environment }]) => Object.keys(environment ?? {})));
    expect(given.size).toBeGreaterThan(10);
    expect([...given].filter((name) => !documented.has(name))).toEqual([]);
    const asked = [...readFileSync(composeFile, 'utf8').matchAll(/\$\{([A-Z0-9_]+)/g)].map(([, name]) => name);
    expect([...new Set(asked)].filter((name) => !documented.has(name))).toEqual(['POSTGRES_PASSWORD']);
  });

  it('passes every variable that docs/production.md tells operators to choose', () => {
    const page = readFileSync(join(root, 'docs', 'production.md'), 'utf8');
    const named = [...page.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]*\*?)[`=]/g)].map(([, name = '']) => name);
    const chosen = named.flatMap((name) =>
      name.endsWith('*') ? [...documented].filter((one) => one?.startsWith(name.slice(0, -1))) : [name],
    );
    expect(chosen.length).toBeGreaterThan(20);
    for (const [service, { environment }] of ours()) {
      const missing = new Set(chosen.filter((name) => name !== undefined && environment?.[name] === undefined));
      expect([service, ...missing]).toEqual([service]);
    }
  });

  it('says by a variable that its stores are reached without TLS', () => {
    for (const [, { environment }] of ours()) {
      const clear = environment?.['EVENTSTORE_URL']?.includes('tls=false') ?? false;
      expect(environment?.['ALLOW_INSECURE_STORES']).toBe(clear ? 'true' : undefined);
    }
  });

  it.each(Object.keys(required))('demands %s', async (name) => {
    await expect(config({ ...required, [name]: '' })).rejects.toThrow('Missing mandatory value');
  });

  it('makes an environment that production takes', async () => {
    const { readConfiguration } = await import('@app/settings');
    for (const [, { environment }] of ours())
      expect(readConfiguration({ ...environment, HOST: '0.0.0.0' }).env).toMatchObject({ PARLEY_MODE: 'production' });
  });
});

describe('docker/Dockerfile', () => {
  const dockerfile = readFileSync(join(root, 'docker', 'Dockerfile'), 'utf8');

  it('sets variables that docs/configuration.md documents, and no secret', () => {
    const set = [...dockerfile.matchAll(/^ENV (.*)$/gm)].flatMap(([, line = '']) =>
      [...line.matchAll(/([A-Z0-9_]+)=/g)].map(([, name]) => name),
    );
    expect(set).toContain('PARLEY_MODE');
    expect(set.filter((name) => !documented.has(name))).toEqual([]);
    expect(set.filter((name) => /KEY|SECRET|PASSWORD|TOKEN|URL/.test(name ?? ''))).toEqual([]);
  });

  it('runs as nobody special, in several stages, with a health check', () => {
    expect(dockerfile.match(/^FROM /gm)?.length).toBeGreaterThan(1);
    const last = dockerfile.slice(dockerfile.lastIndexOf('FROM '));
    expect(last).toMatch(/^USER node$/m);
    expect(last).toMatch(/^HEALTHCHECK /m);
  });

  it('copies nothing that its context leaves out', () => {
    const ignored = readFileSync(join(root, 'docker', 'Dockerfile.dockerignore'), 'utf8');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*)$/gm)].flatMap(([, line = '']) =>
      line.split(' ').slice(0, -1),
    );
    expect(copied.filter((path) => !ignored.includes(`!${path}\n`))).toEqual([]);
  });
});
