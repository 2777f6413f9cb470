import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@app/testing/until';

/** As long as the longest pause before an answer may last. */
const answerWithinMs = 120_000;

/** The measurements of the probe since the previous read. */
interface Seen {
  /** The longest pause of the event loop, in milliseconds of an ordinary core. */
  readonly pauseMs: number;
  /** The factor by which this core is currently slower than an ordinary one. */
  readonly slowness: number;
}

/** Reads the probe of a process that was started with it (`stall-probe.cjs` describes what is measured). */
export class StallMeter {
  private constructor(readonly folder: string) {}

  static async open(): Promise<StallMeter> {
    return new StallMeter(await mkdtemp(join(tmpdir(), 'parley-stalls-')));
  }

  /** The environment of a process to be measured. @param app null for any process */
  env(app: string | null): Record<string, string> {
    const probe = { NODE_OPTIONS: `--require ${join(__dirname, 'stall-probe.cjs')}`, STALL_FOLDER: this.folder };
    return app === null ? probe : { ...probe, STALL_APP: app };
  }

  /** Returns the measurements of the probe since the previous read. */
  async read(pid: number): Promise<Seen> {
    const file = join(this.folder, `${pid}.json`);
    await rm(file, { force: true });
    process.kill(pid, 'SIGUSR2');
    // Not written yet: `until` retries, and fails in the end.
    const text = await until('the probe’s answer', () => readFile(file, 'utf8').catch(() => null), answerWithinMs);
    return JSON.parse(text) as Seen; // reason for the assertion: the probe wrote it
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
