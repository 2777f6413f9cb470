import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { unlessDamaged } from '@app/event-store';
import { Clock, type Cause, type UserId } from '@app/kernel';
import { KeyErasure } from '@app/read-store';
import { Probe } from '@app/runtime';
import { EraseIdentities, EraseUser } from '@app/users';
import { Endings } from './endings';
import type { ErasureCommand } from './erasure.decider';
import { KeyTableCleaning } from '../key-table-cleaning';
import { Purges } from './purges';

const endWithinMs = 3_000;

/** The second step of an erasure: closes the account for good, ends what is left of it, and removes what need not be kept. */
@Injectable()
export class PurgeUser {
  constructor(
    private readonly commands: CommandBus,
    private readonly keys: KeyErasure,
    private readonly keyTable: KeyTableCleaning,
    private readonly endings: Endings,
    private readonly purges: Purges,
    private readonly clock: Clock,
    private readonly probe: Probe,
  ) {}

  /** Returns the step to record; null while something goes on, or old versions of keys are needed by others. @throws Unavailable */
  async take(userId: UserId, cause: Cause, signal: AbortSignal): Promise<ErasureCommand | null> {
    // Callers that had the key in memory may have begun something, and made keys, since.
    await this.keys.destroy(userId);
    await unlessDamaged(() => this.commands.execute(new EraseUser(userId, cause)));
    this.probe.reached('erasure:step');
    await this.commands.execute(new EraseIdentities(userId));
    this.probe.reached('erasure:step');
    if (!(await this.endings.end(userId, cause, endWithinMs, signal))) return null;
    await this.endings.money(userId, cause);
    this.probe.reached('erasure:step');
    const purged = await this.purges.purge(userId);
    if (purged === null) return null;
    this.probe.reached('erasure:step');
    const keyTable = await this.keyTable.clean();
    if (keyTable === null) return null;
    this.probe.reached('erasure:step');
    return { type: 'RecordPurged', at: this.clock.now(), purged, keyTable };
  }
}
