import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { EventStore } from '@app/event-store';
import { Cursors, type Operator } from '@app/http';
import { notFound, ok, refuse, type Result } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { KeyUseTally } from './key-use';
import { eventsReadMax, type KeyUse, type PartnerKey } from './keys.schema';
import { OperatorReads } from '../operator-log/operator-reads';

/** Events per read. */
const pageEvents = 500;

/**
 * Returns the use of a partner key, according to the newest events of the store, or to those before a cursor. The
 * access is logged. Refuses with `invalid_cursor`, `not_found`. @throws Unavailable
 */
export class ShowKeyUse extends Query<Result<KeyUse>> {
  constructor(
    readonly operator: Operator,
    readonly keyId: string,
    readonly cursor: string | undefined,
  ) {
    super();
  }
}

@QueryHandler(ShowKeyUse)
export class ShowKeyUseHandler implements IQueryHandler<ShowKeyUse> {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly reads: OperatorReads,
    private readonly cursors: Cursors,
    private readonly store: EventStore,
  ) {}

  async execute({ operator, keyId, cursor }: ShowKeyUse): Promise<Result<KeyUse>> {
    const binding = { list: 'operator.keys.used', userId: operator.operatorId, filters: { keyId } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    await this.reads.log(operator, { operation: 'keys.used', target: keyId });
    const key = await this.gate.find(() => this.keyOf(keyId));
    if (key === null) return refuse(notFound);
    const tally = new KeyUseTally(keyId);
    const next = await this.readBack(before.value ?? 'end', tally);
    const nextCursor = next === null ? null : this.cursors.mint(binding, [next]);
    return ok({ key, ...tally.shown(), nextCursor });
  }

  private async keyOf(keyId: string): Promise<PartnerKey | null> {
    const [key] = await this.database.query<PartnerKey>(
      `SELECT key_id AS "keyId", label, feed, minted_at AS "createdAt", revoked_at AS "revokedAt"
       FROM {partner_keys} WHERE key_id = $1`,
      [keyId],
    );
    return key ?? null;
  }

  /** @returns the position before which the next page continues; null at the store's beginning */
  private async readBack(from: number | 'end', tally: KeyUseTally): Promise<number | null> {
    let before = from;
    for (let read = 0; read < eventsReadMax; read += pageEvents) {
      const page = await this.store.readAllRawBackwards(before, pageEvents);
      for (const event of page) tally.take(event);
      const oldest = page.at(-1);
      if (oldest === undefined || page.length < pageEvents) return null;
      before = oldest.position;
    }
    return before === 'end' ? null : before;
  }
}
