import { Injectable, Logger } from '@nestjs/common';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { Clock, failureWords, instantOf, type ConversationId, type Instant } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { conversationsWithRestoredKeys } from '../restored-keys';

/** Conversations that are closed together: the table of keys is cleaned once for all of them. */
const batchMax = 500;
const dayMs = 24 * 60 * 60 * 1_000;

/** An archived conversation. */
export interface Archived {
  readonly id: ConversationId;
  readonly archivedAt: Instant;
}

/** Finds conversations whose words are to be closed. */
@Injectable()
export class DueConversations {
  private readonly logger = new Logger('Retention');

  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns a batch of those that were archived that many days ago, after the last one of the batch before, so that some that cannot be
   * closed yet do not stop the others; and the last one, null after the newest. @throws Unavailable
   */
  async some(
    afterDays: number,
    after: Archived | null,
  ): Promise<{ readonly due: readonly Archived[]; readonly last: Archived | null }> {
    if (!(await this.gate.caughtUp())) return { due: [], last: after };
    // Nothing is as old as a number of days that reaches before 1970.
    const until = instantOf(Math.max(0, this.clock.epochMs() - afterDays * dayMs));
    const rows = await this.archivedUntil(until, after);
    const due: Archived[] = [];
    for (const row of rows) if (await this.isOver(row)) due.push(row);
    // Only now: an operation may have begun as long as a run was open.
    if (!(await this.gate.caughtUp())) return { due: [], last: after };
    const last = rows.length < batchMax ? null : (rows.at(-1) ?? null);
    return { due: await this.withoutMoneyInFlight(due), last };
  }

  /** Returns closed conversations whose keys a restore brought back. @throws Unavailable */
  restored(): Promise<readonly ConversationId[]> {
    return conversationsWithRestoredKeys(this.database, batchMax);
  }

  private async archivedUntil(until: Instant, after: Archived | null): Promise<Archived[]> {
    return this.database.query<Archived>(
      `SELECT a.id, a.archived_at AS "archivedAt" FROM {archived_conversations} AS a
       WHERE NOT a.is_closed AND a.archived_at <= $1 AND (a.archived_at, a.id) > ($2, $3::uuid)
       ORDER BY a.archived_at, a.id LIMIT $4`,
      [until, after?.archivedAt ?? '', after?.id ?? '00000000-0000-0000-0000-000000000000', batchMax],
    );
  }

  private async withoutMoneyInFlight(archived: readonly Archived[]): Promise<Archived[]> {
    const rows = await this.database.query<Pick<Archived, 'id'>>(
      `SELECT conversation_id AS id FROM {financial_operations}
       WHERE conversation_id = ANY($1) AND status IN ('submitted', 'unresolved')`,
      [archived.map(({ id }) => id)],
    );
    const paying = new Set(rows.map(({ id }) => id));
    return archived.filter(({ id }) => !paying.has(id));
  }

  /** Whether nothing of a conversation goes on, by its stream. One whose stream is damaged is left for its operators. */
  private async isOver({ id }: Archived): Promise<boolean> {
    try {
      const { archivedAt, openRuns, operations } = (await this.states.fresh(conversationKind, id)).state;
      const isInFlight = Object.values(operations).includes('submitted');
      return archivedAt !== null && Object.keys(openRuns).length === 0 && !isInFlight;
    } catch (error) {
      this.logger.warn({ msg: `an archived conversation is not closed: ${failureWords(error)}`, conversationId: id });
      return false;
    }
  }
}
