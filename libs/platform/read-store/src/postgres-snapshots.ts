import { failureWords } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { SnapshotStore, type Snapshot } from '@app/event-store';
import type { Database } from './database/database';

/** Snapshots that may wait to be written; beyond it the oldest is dropped, because a snapshot is only a shortcut. */
const waitingMax = 200;

/** Snapshots of folded states in the table `snapshots`, written in the background. */
export class PostgresSnapshots extends SnapshotStore {
  private readonly logger = new Logger(PostgresSnapshots.name);
  private readonly waiting = new Map<string, Snapshot>();
  private writing: Promise<void> | null = null;

  constructor(private readonly database: Database) {
    super();
  }

  async load(stream: string, version: number): Promise<Snapshot | null> {
    try {
      const [row] = await this.database.query<{ revision: number; state: unknown }>(
        'SELECT revision, state FROM snapshots WHERE stream = $1 AND version = $2',
        [stream, version],
      );
      return row === undefined ? null : { stream, version, revision: row.revision, state: row.state };
    } catch (error) {
      this.logger.warn(`a snapshot was not read: ${failureWords(error)}`);
      return null;
    }
  }

  saveLater(snapshot: Snapshot): void {
    this.waiting.delete(snapshot.stream);
    this.waiting.set(snapshot.stream, snapshot);
    const oldest = this.waiting.keys().next().value;
    if (this.waiting.size > waitingMax && oldest !== undefined) this.waiting.delete(oldest);
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  private async write(): Promise<void> {
    for (let next = this.shift(); next !== null; next = this.shift()) {
      try {
        await this.database.query(
          `INSERT INTO snapshots (stream, version, revision, state) VALUES ($1, $2, $3, $4)
           ON CONFLICT (stream) DO UPDATE SET version = excluded.version, revision = excluded.revision, state = excluded.state
           WHERE snapshots.version <> excluded.version OR snapshots.revision < excluded.revision`,
          [next.stream, next.version, next.revision, JSON.stringify(next.state)],
        );
      } catch (error) {
        this.logger.warn(`a snapshot was not kept: ${failureWords(error)}`);
      }
    }
  }

  private shift(): Snapshot | null {
    const [stream, snapshot] = this.waiting.entries().next().value ?? [];
    if (stream === undefined || snapshot === undefined) return null;
    this.waiting.delete(stream);
    return snapshot;
  }
}
