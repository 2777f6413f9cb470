import { Injectable, Logger } from '@nestjs/common';
import { ArtifactRemoval } from '@app/artifacts';
import { conversationKind } from '@app/conversations';
import { Streams, streamName } from '@app/event-store';
import { causeOfService, Clock, type ConversationId } from '@app/kernel';
import { Database, KeyErasure } from '@app/read-store';
import { Probe } from '@app/runtime';
import { v7 as uuidV7 } from 'uuid';
import type { Archived } from './due-conversations';
import { KeyTableCleaning } from './key-table-cleaning';
import { retentionKind } from './retention.stream';

/**
 * Closes the words of conversations: destroys their salts, removes their files and snapshots, and records it. Each step is idempotent, and
 * the record is the last one, so that a crash at any point is continued by the next batch.
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

  /** Closes conversations that are closed already, and whose keys a restore brought back. @throws Unavailable */
  async closeAgain(ids: readonly ConversationId[]): Promise<void> {
    this.logger.warn(`${ids.length} closed conversations had keys again, as after a restore: they are destroyed again`);
    await this.keys.destroyConversations(ids);
    for (const id of ids) await this.purge(id);
    await this.keyTable.clean();
  }

  /** @param afterDays the days after which they are closed, for the record @throws Unavailable */
  async close(closing: readonly Archived[], afterDays: number): Promise<void> {
    await this.keys.destroyConversations(closing.map(({ id }) => id));
    this.probe.reached('retention:step');
    const purged: (Archived & { readonly removed: number; readonly kept: number })[] = [];
    for (const one of closing) purged.push({ ...one, ...(await this.purge(one.id)) });
    this.probe.reached('retention:step');
    // Old versions of the rows have the keys; the next batch tries again.
    if ((await this.keyTable.clean()) === null) return;
    this.probe.reached('retention:step');
    for (const { id, archivedAt, removed, kept } of purged) {
      const facts = { at: this.clock.now(), archivedAt, afterDays, artifacts: removed, artifactsKept: kept };
      await this.streams.decide(
        retentionKind,
        id,
        { type: 'RecordClosed', ...facts },
        causeOfService('retention', uuidV7()),
      );
      this.probe.reached('retention:step');
    }
    this.logger.log({ msg: 'the words of archived conversations are closed', conversations: closing.length });
  }

  private async purge(id: ConversationId) {
    await this.database.query('DELETE FROM snapshots WHERE stream = $1', [streamName(conversationKind, id)]);
    return this.artifacts.removeOf(id);
  }
}
