import { Injectable, Logger } from '@nestjs/common';
import { ArtifactRemoval } from '@app/artifacts';
import { conversationKind } from '@app/conversations';
import { Streams, streamName } from '@app/event-store';
import { causeOfService, Clock, failureWords, type ConversationId } from '@app/kernel';
import { Database, KeyErasure } from '@app/read-store';
import { Probe } from '@app/runtime';
import { v7 as uuidV7 } from 'uuid';
import type { Archived } from './due-conversations';
import { KeyTableCleaning } from '../key-table-cleaning';
import { retentionKind } from './retention.stream';

interface Purged extends Archived {
  /** Files that were removed, and those that stay. */
  readonly removed: number;
  readonly kept: number;
}

/**
 * Closes the words of conversations: destroys their salts, removes their files and snapshots, and records it. Each step is idempotent, and
 * the record is the last one, so that a crash at any point is continued by the next batch. A conversation that fails keeps no other one
 * waiting: it is logged, and is tried again by a later batch.
 */
@Injectable()
export class CloseConversations {
  private readonly logger = new Logger('Retention');

  constructor(
    private readonly database: Database,
    private readonly streams: Streams,
    private readonly keys: KeyErasure,
    private readonly keyTable: KeyTableCleaning,
    private readonly artifacts: ArtifactRemoval,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  /** Closes conversations that are closed already, and whose keys a restore brought back. Ends early when the signal aborts. @throws Unavailable */
  async closeAgain(ids: readonly ConversationId[], signal: AbortSignal): Promise<void> {
    this.logger.warn(`${ids.length} closed conversations had keys again, as after a restore: they are destroyed again`);
    await this.keys.destroyConversations(ids);
    for (const id of ids) await this.tried(id, signal, () => this.purge(id));
    await this.keyTable.clean();
  }

  /** Ends early when the signal aborts. @param afterDays the days after which they are closed, for the record @throws Unavailable */
  async close(closing: readonly Archived[], afterDays: number, signal: AbortSignal): Promise<void> {
    await this.keys.destroyConversations(closing.map(({ id }) => id));
    this.probe.reached('retention:step');
    const purged: Purged[] = [];
    for (const one of closing) {
      const files = await this.tried(one.id, signal, () => this.purge(one.id));
      if (files !== null) purged.push({ ...one, ...files });
    }
    this.probe.reached('retention:step');
    // Old versions of the rows have the keys; the next batch tries again.
    if ((await this.keyTable.clean()) === null) return;
    this.probe.reached('retention:step');
    let recorded = 0;
    for (const one of purged) {
      if ((await this.tried(one.id, signal, () => this.record(one, afterDays))) !== null) recorded += 1;
      this.probe.reached('retention:step');
    }
    this.logger.log({ msg: 'the words of archived conversations are closed', conversations: recorded });
  }

  private async record({ id, archivedAt, removed, kept }: Purged, afterDays: number): Promise<true> {
    const facts = { at: this.clock.now(), archivedAt, afterDays, artifacts: removed, artifactsKept: kept };
    const cause = causeOfService('retention', uuidV7());
    await this.streams.decide(retentionKind, id, { type: 'RecordClosed', ...facts }, cause);
    return true;
  }

  /** Returns null for a step that failed: a damaged stream, or a file that is not removed, concerns one conversation only. */
  private async tried<Value>(
    id: ConversationId,
    signal: AbortSignal,
    step: () => Promise<Value>,
  ): Promise<Value | null> {
    signal.throwIfAborted();
    try {
      return await step();
    } catch (error) {
      this.logger.warn({
        msg: `an archived conversation is closed later: ${failureWords(error)}`,
        conversationId: id,
      });
      return null;
    }
  }

  private async purge(id: ConversationId) {
    await this.database.query('DELETE FROM snapshots WHERE stream = $1', [streamName(conversationKind, id)]);
    return this.artifacts.removeOf(id);
  }
}
