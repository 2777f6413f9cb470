import { EventStoreDBClient } from '@eventstore/db-client';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, TestProcess } from '../processes/deployment-process';

/** A real node for one deployment; local to this machine, never committed. */
export class RealStore extends TestProcess {
  private real: ChildProcess | null = null;
  private constructor(private readonly port: number, private readonly tcp: number, private readonly folder: string, private readonly mem: boolean) {
    super({ app: 'event-store', env: {}, ready: () => true });
  }
  static async make(mem: boolean): Promise<RealStore> {
    const [port = 0, tcp = 0] = await freePorts(2);
    return new RealStore(port, tcp, await mkdtemp(join(tmpdir(), 'real-store-')), mem);
  }
  get nodePort(): number {
    return this.port;
  }
  get url(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }
  override get pid(): number {
    return this.real?.pid ?? 0;
  }
  override get isAlive(): boolean {
    return this.real !== null && this.real.exitCode === null && this.real.signalCode === null;
  }
  override async start(): Promise<void> {
    const where = this.mem ? ['--mem-db=true'] : [`--db=${join(this.folder, 'db')}`];
    const child = spawn(
      'setpriv',
      ['--pdeathsig', 'KILL', 'dotnet', '/work/esdb/bin/EventStore.ClusterNode.dll', '--insecure=true', '--node-ip=127.0.0.1',
        '--replication-ip=127.0.0.1', `--node-port=${this.port}`, `--replication-port=${this.tcp}`, ...where,
        `--log=${join(this.folder, 'logs')}`, '--disable-admin-ui=true', '--disable-log-file=true', '--run-projections=None'],
      { cwd: '/work/esdb/bin', stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '', HOME: '/root', EVENTSTORE_TELEMETRY_OPTOUT: 'true', DOTNET_gcServer: '0' } },
    );
    this.real = child;
    this.output = '';
    const keep = (chunk: Buffer): void => { this.output = (this.output + chunk.toString('utf8')).slice(-200_000); };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    for (let tries = 0; tries < 600; tries++) {
      if (!this.isAlive) throw new Error(`the real store ended:\n${this.output.slice(-3000)}`);
      const live = await fetch(`http://127.0.0.1:${this.port}/health/live`).then(({ status }) => status === 204, () => false);
      if (live) return;
      await sleep(100);
    }
    throw new Error('the real store is not ready');
  }
  override async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    const child = this.real;
    if (child === null || !this.isAlive) return child?.exitCode ?? null;
    const ended = once(child, 'exit');
    child.kill(signal);
    const force = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(force);
    return child.exitCode;
  }
  override async stop(): Promise<number | null> {
    const code = await this.kill('SIGKILL');
    await rm(this.folder, { recursive: true, force: true });
    return code;
  }
}

/** Stands for an embedded server where REAL_STORE is set. */
export async function realOr<T>(embedded: () => Promise<T>): Promise<T> {
  if (!process.env['REAL_STORE']) return embedded();
  const real = await RealStore.make(true);
  await real.start();
  return { address: real.url, close: async () => { await real.stop(); } } as unknown as T;
}

/** Answers the few statements that tests send to the embedded store's table. */
export async function realSql<Row>(url: string, text: string, parameters: unknown[]): Promise<Row[]> {
  const client = EventStoreDBClient.connectionString(url);
  const all: { stream: string; type: string }[] = [];
  for await (const { event } of client.readAll()) if (event && !event.type.startsWith('$') && !event.streamId.startsWith('$')) all.push({ stream: event.streamId, type: event.type });
  await client.dispose();
  if (text.includes('count(*)')) return [{ count: all.length }] as Row[];
  if (text.includes('DISTINCT stream')) return [...new Set(all.map(({ stream }) => stream))].map((stream) => ({ stream })) as Row[];
  if (text.startsWith('SELECT 1')) return all.filter(({ stream, type }) => stream === parameters[0] && type === 'run.ended') as Row[];
  throw new Error(text);
}
