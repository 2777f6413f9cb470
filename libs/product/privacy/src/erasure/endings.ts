import { Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DeleteAutomation } from '@app/automations';
import { ArchiveConversation } from '@app/conversations';
import { Streams, unlessDamaged } from '@app/event-store';
import {
  Clock,
  DamagedStream,
  failureWords,
  Unavailable,
  type Cause,
  type OperationId,
  type UserId,
} from '@app/kernel';
import type { AutomationId, ConversationId, RunId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { AbortRun } from '@app/runs';
import { userKind } from '@app/users';
import { EndUnsubmitted } from '@app/wallets';
import { setTimeout as sleep } from 'node:timers/promises';
import { inParallel } from '../in-parallel';

/** Things of one kind that one round ends. */
const ofOneKindMax = 200;
const atOnce = 8;
const roundsPauseMs = 50;

/** Ids of what still goes on, and how to end one. */
interface Ending<Id extends string> {
  readonly sql: string;
  end(this: void, id: Id): Promise<unknown>;
}

/** Closes an account, and ends everything of it that goes on. Idempotent; what others begin meanwhile, the next call ends. */
@Injectable()
export class Endings {
  private readonly logger = new Logger(Endings.name);

  constructor(
    private readonly commands: CommandBus,
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /**
   * Closes the account, so that nothing new begins; one whose stream is damaged takes no requests. Does not wait for read models, which the
   * keys need not wait for. @throws Unavailable
   */
  async close(userId: UserId, cause: Cause): Promise<void> {
    const command = { type: 'DisableUser', at: this.clock.now(), reason: 'erasure' } as const;
    await unlessDamaged(() => this.streams.decide(userKind, userId, command, cause));
  }

  /** Ends what was not sent; returns the operations with money in flight. @throws Unavailable */
  async money(userId: UserId, cause: Cause): Promise<readonly OperationId[]> {
    await this.gate.caughtUp();
    const left = await this.commands.execute(new EndUnsubmitted(userId, cause));
    return left.ok ? left.value : [];
  }

  /**
   * Ends runs, automations and conversations, until none is left, the time is over or the signal aborts. Returns whether none is left. What could not be
   * ended is tried again by the next call. @throws Unavailable
   */
  async end(userId: UserId, cause: Cause, withinMs: number, signal: AbortSignal): Promise<boolean> {
    const giveUpAtMs = performance.now() + withinMs;
    for (;;) {
      await this.gate.caughtUp();
      const left = await this.endOnce(userId, cause, () => giveUpAtMs - performance.now());
      if (left === 0) return true;
      if (signal.aborted || performance.now() + roundsPauseMs >= giveUpAtMs) return false;
      await sleep(roundsPauseMs);
    }
  }

  /** Tries to end what there is; returns how much that was. */
  private async endOnce(userId: UserId, cause: Cause, leftMs: () => number): Promise<number> {
    const { runs, automations, conversations } = this.kinds(userId, cause);
    const live = await Promise.all([this.endEach(runs, userId, leftMs), this.endEach(automations, userId, leftMs)]);
    return live[0] + live[1] + (leftMs() > 0 ? await this.endEach(conversations, userId, leftMs) : 1);
  }

  private kinds(userId: UserId, cause: Cause) {
    const runs: Ending<RunId> = {
      // First runs that wait to start, so that they do not; then the live run of a conversation: its other runs can be ended only then.
      sql: `SELECT id FROM {runs} WHERE user_id = $1 AND status IN ('waiting', 'queued', 'running', 'stopping', 'awaiting_approval')
            ORDER BY status <> 'waiting', status = 'awaiting_approval', opened_position LIMIT $2`,
      end: (id) => this.commands.execute(new AbortRun(userId, id, cause, true)),
    };
    const automations: Ending<AutomationId> = {
      sql: "SELECT id FROM {automations} WHERE user_id = $1 AND state <> 'archived' ORDER BY opened_position LIMIT $2",
      end: (id) => this.commands.execute(new DeleteAutomation(userId, id, cause)),
    };
    const conversations: Ending<ConversationId> = {
      sql: `SELECT id FROM {conversations} AS c WHERE user_id = $1 AND archived_at IS NULL AND NOT EXISTS (
              SELECT 1 FROM {runs} AS r WHERE r.conversation_id = c.id
                AND r.status IN ('waiting', 'queued', 'running', 'stopping', 'awaiting_approval'))
            ORDER BY activity_position DESC LIMIT $2`,
      end: (id) => this.commands.execute(new ArchiveConversation(userId, id, cause)),
    };
    return { runs, automations, conversations };
  }

  /** Returns how many there were, apart from those of damaged streams, in which nothing goes on. */
  private async endEach<Id extends string>({ sql, end }: Ending<Id>, userId: UserId, leftMs: () => number) {
    const rows = await this.database.query<{ readonly id: Id }>(sql, [userId, ofOneKindMax]);
    const tried = await inParallel(rows, atOnce, async ({ id }) => {
      // A run ends only when its worker has confirmed it, which may take longer than this call.
      return leftMs() > 0 ? Promise.race([this.tried(id, end), sleep(leftMs(), 'tried' as const)]) : 'tried';
    });
    return tried.filter((outcome) => outcome === 'tried').length;
  }

  private async tried<Id extends string>(id: Id, end: Ending<Id>['end']): Promise<'tried' | 'damaged'> {
    try {
      await end(id);
    } catch (error) {
      if (error instanceof DamagedStream) return 'damaged';
      if (!(error instanceof Unavailable))
        this.logger.error({ msg: 'something of an erased user was not ended', id, err: error });
      else this.logger.warn(`something of an erased user is ended later: ${failureWords(error)}`);
    }
    return 'tried';
  }
}
