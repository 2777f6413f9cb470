import { Logger, type OnModuleDestroy } from '@nestjs/common';
import { Clock, failureWords } from '@app/kernel';
import type { Database, Notifications, Processes } from '@app/read-store';

/** Carries each new offset, in milliseconds. */
export const clockChannel = 'parley_clock';
/** How often each process reads the offset without a notification, because one can be lost. */
const refreshMs = 2_000;

/**
 * The service clock of the sandbox: real time plus an offset that all processes share and that only grows
 * (docs/decisions/sandbox.md). A process records in its row of `processes` which offset it runs on.
 */
export class SandboxClock extends Clock implements OnModuleDestroy {
  private readonly logger = new Logger(SandboxClock.name);
  private offsetMs = 0;
  private stops: (() => void)[] = [];

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly processes: Processes,
  ) {
    super();
  }

  override epochMs(): number {
    return Date.now() + this.offsetMs;
  }

  /** Follows the deployment's offset from then on. Listens before it reads, so that no move is missed. @throws Unavailable */
  async start(): Promise<void> {
    const stopListening = this.notifications.on(clockChannel, (payload) => {
      this.offsetMs = Math.max(this.offsetMs, Number(payload));
      this.runInBackground(this.acknowledge());
    });
    this.notifications.onReconnected(() => this.runInBackground(this.refresh()));
    const timer = setInterval(() => this.runInBackground(this.refresh()), refreshMs);
    this.stops = [stopListening, () => clearInterval(timer)];
    await this.refresh();
  }

  onModuleDestroy(): void {
    for (const stop of this.stops) stop();
  }

  private async refresh(): Promise<void> {
    const [row] = await this.database.query<{ offset: number }>(
      `SELECT (value->>'offsetMs')::bigint AS offset FROM sandbox_state WHERE name = 'clock'`,
    );
    this.offsetMs = Math.max(this.offsetMs, row?.offset ?? 0);
    await this.acknowledge();
  }

  private async acknowledge(): Promise<void> {
    await this.database.query('UPDATE processes SET clock_offset_ms = $2 WHERE id = $1 AND clock_offset_ms < $2', [
      this.processes.id,
      this.offsetMs,
    ]);
  }

  private runInBackground(work: Promise<void>): void {
    // The next refresh makes up for it.
    work.catch((error: unknown) => this.logger.warn(`the clock was not refreshed: ${failureWords(error)}`));
  }
}
