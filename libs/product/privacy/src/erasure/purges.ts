import { Injectable } from '@nestjs/common';
import { ArtifactRemoval } from '@app/artifacts';
import type { Purged } from './erasure.events';
import type { UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { PersonalStreams } from '../personal-streams';

/**
 * Removes what is kept of a user outside of streams and read models, whose rows stay with ciphertexts that nobody can open. Nothing that
 * is removed has words in clear: it is removed because it is not needed any more. Idempotent.
 */
@Injectable()
export class Purges {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly personal: PersonalStreams,
    private readonly artifacts: ArtifactRemoval,
  ) {}

  /** Returns how much was removed by this call; null, and removes nothing, while the read models have not caught up. @throws Unavailable */
  async purge(userId: UserId): Promise<Purged | null> {
    if (!(await this.gate.caughtUp())) return null;
    let [snapshots, deliveries, checks] = [0, 0, 0];
    for await (const { category, ids, streams } of this.personal.of(userId)) {
      snapshots += await this.removed('FROM snapshots WHERE stream = ANY($1)', streams);
      // Partners are still notified of the account's end.
      if (category !== 'user')
        deliveries += await this.removed('FROM webhook_deliveries WHERE stream = ANY($1)', streams);
      if (category === 'automation') checks += await this.removedOfAutomations(ids);
    }
    const artifacts = await this.artifacts.removeAll(userId);
    return {
      snapshots,
      deliveries,
      checks,
      artifacts: artifacts.removed,
      artifactsKept: artifacts.kept,
      samples: await this.removed('FROM source_samples WHERE source_key LIKE $1', `wallet_balance:${userId}:%`),
      timers: await this.removed('FROM timers WHERE id LIKE $1', `source/wallet_balance:${userId}:%`),
    };
  }

  private async removedOfAutomations(ids: readonly string[]): Promise<number> {
    const checks = await this.removed('FROM automation_checks WHERE automation_id = ANY($1::uuid[])', ids);
    const keys = await this.removed('FROM webhook_keys WHERE automation_id = ANY($1::uuid[])', ids);
    return checks + keys;
  }

  private async removed(from: string, value: unknown): Promise<number> {
    const [row] = await this.database.query<{ readonly count: number }>(
      `WITH gone AS (DELETE ${from} RETURNING 1) SELECT count(*)::integer AS count FROM gone`,
      [value],
    );
    return row?.count ?? 0;
  }
}
