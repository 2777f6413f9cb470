import type { Configuration } from '@app/settings';
import { verifierKeyText } from '@app/transparency';
import type { SignedCheckpoint } from './checkpoints.decider';

/** A checkpoint as served: the note with its witnesses' lines. */
export function withLines({ note, cosignatures }: SignedCheckpoint): string {
  return note + cosignatures.map(({ line }) => line).join('');
}

/** Whether enough of the configured witnesses signed it. */
export function isWitnessed({ cosignatures }: SignedCheckpoint, { env }: Configuration): boolean {
  const keys = new Set(env.WITNESSES.map(({ key }) => verifierKeyText(key)));
  return cosignatures.filter(({ witness }) => keys.has(witness)).length >= env.WITNESSES_NEEDED;
}
