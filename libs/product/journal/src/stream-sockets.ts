import { failureWords } from '@app/kernel';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database, Processes, processGoneMs } from '@app/read-store';
import { Configuration } from '@app/settings';
import { v7 as uuidV7 } from 'uuid';
import { closeSockets, keepSockets, openSocket, sweepSockets } from './stream-sockets.queries';

/** Rows of a process that was silent for this long are removed; they stopped counting long before. */
const sweptAfterMs = 60_000;
const closeRetryMs = 1_000;

/** The owner whose streams are counted together. */
export interface SocketOwner {
  /** A UUID: of a user, or of a partner key. */
  readonly id: string;
  readonly streamsMax: number;
}

/**
 * Counts open streams: per owner over the whole deployment, exactly, and per replica (docs/decisions/journal.md).
 * A socket is a row of its process; rows of processes that are gone do not count.
 */
@Injectable()
export class StreamSockets implements BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamSockets.name);
  private readonly open = new Map<string, string>();
  private closing: string[] = [];
  private closingNow: Promise<void> | null = null;
  private retry: NodeJS.Timeout | null = null;
  private taken = 0;

  constructor(
    private readonly database: Database,
    private readonly processes: Processes,
    private readonly configuration: Configuration,
  ) {}

  /** Returns a socket's id, to be passed to `release`; null when the replica or the owner has as many as allowed. Throws Unavailable. */
  async acquire({ id: owner, streamsMax }: SocketOwner): Promise<string | null> {
    const { STREAMS_PER_REPLICA } = this.configuration.env;
    if (this.taken >= STREAMS_PER_REPLICA) return null;
    this.taken += 1;
    const id = uuidV7();
    try {
      const parameters = [id, this.processes.id, owner, streamsMax, processGoneMs];
      const [row] = await this.database.query<{ opened: boolean }>(openSocket, parameters);
      if (row?.opened === true) {
        this.open.set(id, owner);
        return id;
      }
    } catch (error) {
      // It may have been opened all the same.
      this.closeLater(id);
      this.taken -= 1;
      throw error;
    }
    this.taken -= 1;
    return null;
  }

  /** Frees a socket's place; a repeated call does nothing. */
  release(id: string): void {
    if (!this.open.delete(id)) return;
    this.taken -= 1;
    this.closeLater(id);
  }

  /**
   * Restores rows of sockets that are open here and removes those of sockets that no process has open; to be called about once a minute.
   */
  async tidy(): Promise<void> {
    const owners = new Map(this.open);
    const ids = [...owners.keys()];
    await this.database.query(sweepSockets, [sweptAfterMs, this.processes.id, ids]);
    if (ids.length === 0) return;
    await this.database.query(keepSockets, [this.processes.id, ids, [...owners.values()]]);
    // A socket that was released meanwhile may have been restored.
    for (const id of ids) if (!this.open.has(id)) this.closeLater(id);
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const id of [...this.open.keys()]) this.release(id);
    if (this.retry !== null) clearTimeout(this.retry);
    await (this.closingNow ?? this.closeAll());
  }

  /** Sockets that close at the same time share one statement. */
  private closeLater(id: string): void {
    this.closing.push(id);
    if (this.retry === null) this.startClosing();
  }

  private startClosing(): void {
    this.closingNow ??= Promise.resolve().then(() => this.closeAll());
  }

  private async closeAll(): Promise<void> {
    this.retry = null;
    while (this.closing.length > 0 && this.retry === null) {
      const ids = this.closing;
      this.closing = [];
      try {
        await this.database.query(closeSockets, [ids]);
      } catch (error) {
        // The rows keep counting until this succeeds; new streams cannot open meanwhile either, so the list stays bounded.
        this.logger.warn(`${ids.length} sockets are closed later: ${failureWords(error)}`);
        this.closing.push(...ids);
        this.retry = setTimeout(() => this.startClosing(), closeRetryMs).unref();
      }
    }
    this.closingNow = null;
  }
}
