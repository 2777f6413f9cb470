import { Injectable } from '@nestjs/common';
import { Clock } from '@app/kernel';
import type { WitnessAddress } from '@app/settings';
import { sameHash, toBase64 } from '@app/transparency';
import { Checkpoints } from '../signing/checkpoints';
import type { CheckpointsState } from '../checkpoints/checkpoints.decider';
import type { LogHold } from '../log/log-hold';
import { LogIdentity } from '../log/log-identity';
import { LogTables } from '../log/log-tables';
import { LogKeys } from '../signing/log-keys';
import { signedByLog, askWitness } from './witness-memory';

/**
 * Holds the log if a witness proves that the log signed something that is not here: the stores went back in time in
 * place, or another copy signs under the same name.
 */
@Injectable()
export class WitnessedHistory {
  constructor(
    private readonly identity: LogIdentity,
    private readonly checkpoints: Checkpoints,
    private readonly tables: LogTables,
    private readonly keys: LogKeys,
    private readonly clock: Clock,
  ) {}

  /** Holds the log if a witness signed what is not here. @throws WitnessTrouble if it is silent; Unavailable */
  async look(witness: WitnessAddress): Promise<void> {
    const { origin } = await this.checkpoints.current();
    if (origin === null) return;
    const { checkpoint } = await askWitness(witness.url, origin);
    // Read after the answer, so that anything signed meanwhile is included.
    const hold = checkpoint === null ? null : await this.holdBy(witness, checkpoint, await this.checkpoints.current());
    if (hold !== null) await this.identity.keepHeld(hold);
  }

  private async holdBy(witness: WitnessAddress, checkpoint: string, state: CheckpointsState): Promise<LogHold | null> {
    const opened = await signedByLog(checkpoint, witness, state, this.keys);
    if (opened === null || opened.size <= state.above) return null;
    const { size, root } = opened;
    const id = `witness:${size}/${toBase64(root)}`;
    const newest = state.signed.at(-1)?.size ?? 0;
    // An operator has already resumed this hold.
    if (id === state.resumed) return null;
    if (size <= newest) {
      const kept = await this.tables.rootOf(size);
      if (kept === null || sameHash(kept, root)) return null;
    }
    const found = `the witness ${witness.key.name} has a checkpoint of ${size} events that the log signed`;
    const missing = size > newest ? `the newest here is of ${newest}` : 'they are not those that are here';
    const says = `${found}, and ${missing}: the stores went back in time, or another copy signs under this name`;
    return { id, why: 'witnessed', since: this.clock.now(), says };
  }
}
