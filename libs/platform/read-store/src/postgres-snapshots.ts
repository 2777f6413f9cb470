import { failureWords, type JsonValue } from '@app/kernel';
import { Logger } from '@nestjs/common';
import { SnapshotStore, type Snapshot, type SnapshotToSave } from '@app/event-store';
import { isSealedValue, openValue, placeOf, sealValue, type KeyId, type KeyRing } from '@app/sealing';
import type { Database } from './database/database';

/** Snapshots that may wait to be written; beyond it the oldest is dropped, because a snapshot is only a shortcut. */
const waitingMax = 200;

/** Snapshots of folded states in the table `snapshots`, written in the background; those of streams with words of persons are sealed. */
export class PostgresSnapshots extends SnapshotStore {
  private readonly logger = new Logger(PostgresSnapshots.name);
  private readonly waiting = new Map<string, SnapshotToSave>();
  private writing: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {
    super();
  }

  async load(stream: string, version: number): Promise<Snapshot | null> {
    try {
      const [row] = await this.database.query<{ revision: number; state: unknown }>(
        'SELECT revision, state FROM snapshots WHERE stream = $1 AND version = $2',
        [stream, version],
      );
      const state = row === undefined ? null : await this.opened(row.state);
      return row === undefined || state === null ? null : { stream, version, revision: row.revision, state };
    } catch (error) {
      this.logger.warn(`a snapshot was not read: ${failureWords(error)}`);
      return null;
    }
  }

  saveLater(snapshot: SnapshotToSave): void {
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
          [next.stream, next.version, next.revision, JSON.stringify(await this.sealed(next))],
        );
      } catch (error) {
        this.logger.warn(`a snapshot was not kept: ${failureWords(error)}`);
      }
    }
  }

  private async sealed({ stream, revision, state, sealedFor }: SnapshotToSave): Promise<unknown> {
    if (sealedFor === undefined) return state;
    const { keyId } = sealedFor;
    const key = await this.keys.keyOf(sealedFor);
    // Reason for the assertion: states are JSON, because snapshots of them are stored.
    return sealValue(key, { keyId, eventId: `${stream}@${revision}`, path: 'state' }, state as JsonValue);
  }

  /** Returns the state, or null where its key was destroyed. */
  private async opened(state: unknown): Promise<unknown> {
    if (!isSealedValue(state)) return state;
    // Reason for the assertion: a sealed text names the key that it was sealed under.
    const keyId = placeOf(state).keyId as KeyId;
    const key = (await this.keys.keysOf([keyId])).get(keyId) ?? null;
    return key === null ? null : openValue(key, state);
  }

  private shift(): SnapshotToSave | null {
    const [stream, snapshot] = this.waiting.entries().next().value ?? [];
    if (stream === undefined || snapshot === undefined) return null;
    this.waiting.delete(stream);
    return snapshot;
  }
}
