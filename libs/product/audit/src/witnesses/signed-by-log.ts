import type { Configuration, WitnessAddress } from '@app/settings';
import { openCheckpoint, parseVerifierKey, verifierKeyText, type TreeHead } from '@app/transparency';
import type { CheckpointsState } from '../checkpoints/checkpoints.decider';
import { logKey } from '../signing/signing-key';

/**
 * The tree of a checkpoint that a witness shows, if the log's own key and that witness signed it; null otherwise. A
 * witness's claim alone proves nothing; the log's own signature does.
 */
export function signedByLog(
  checkpoint: string,
  { key }: WitnessAddress,
  { keys, origin }: CheckpointsState,
  configuration: Configuration,
): TreeHead | null {
  const own = origin === null ? [] : [verifierKeyText(logKey(configuration, origin))];
  const log = [...keys, ...own].flatMap((text) => parseVerifierKey(text) ?? []);
  const opened = openCheckpoint(checkpoint, { log, witnesses: [key], needed: 1 });
  return typeof opened === 'string' || !opened.isWitnessed ? null : opened;
}
