import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { failureWords } from '@app/kernel';
import { Database, keepLeading } from '@app/read-store';
import { Configuration } from '@app/settings';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloseConversations } from './close-conversations';
import { DueConversations, type Archived } from './due-conversations';

/** Real time: the pause between two batches. */
const everyMs = 5_000;
/** Real time: how often keys that a restore brought back are searched, since that reads all closed conversations. */
const restoredEveryMs = 20_000;

/** Closes the words of old archived conversations, in one process of the deployment. */
@Injectable()
export class RetentionWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Retention');
  private readonly stopping = new AbortController();
  /** The last conversation of the batch before. */
  private passed: Archived | null = null;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
    private readonly conversations: DueConversations,
    private readonly closing: CloseConversations,
  ) {}

  onApplicationBootstrap(): void {
    const { leaderSession } = this.database;
    this.work = keepLeading(leaderSession, 'retention', this.stopping.signal, (leading) => this.lead(leading));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.work;
  }

  private async lead(leading: AbortSignal): Promise<void> {
    const { RETENTION_ARCHIVED_DAYS: afterDays } = this.configuration.env;
    let restoredAtMs = -Infinity;
    while (!leading.aborted) {
      try {
        if (performance.now() >= restoredAtMs) {
          await this.closeRestored(leading);
          restoredAtMs = performance.now() + restoredEveryMs;
        }
        if (afterDays !== undefined) await this.closeSome(afterDays, leading);
      } catch (error) {
        if (!leading.aborted) this.logger.warn(`archived conversations are closed later: ${failureWords(error)}`);
      }
      await sleep(everyMs, undefined, { signal: leading }).catch(() => undefined); // it ends
    }
  }

  private async closeRestored(leading: AbortSignal): Promise<void> {
    const restored = await this.conversations.restored();
    if (restored.length > 0) await this.closing.closeAgain(restored, leading);
  }

  private async closeSome(afterDays: number, leading: AbortSignal): Promise<void> {
    const { due, last } = await this.conversations.some(afterDays, this.passed);
    // Also where this batch fails: it keeps no other one waiting.
    this.passed = last;
    if (due.length > 0) await this.closing.close(due, afterDays, leading);
  }
}
