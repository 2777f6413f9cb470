import type { Configuration } from '@app/runtime';
import { verifierKeyText } from '@app/transparency';
import type { SignedCheckpoint } from './checkpoints.decider';

/** A checkpoint as it is served: the note with the lines of its witnesses. */
export function withLines({ note, cosignatures }: SignedCheckpoint): string {
  return note + cosignatures.map(({ line }) => line).join('');
}

/** Whether as many of the configured witnesses signed it as must have. */
export function isWitnessed({ cosignatures }: SignedCheckpoint, { env }: Configuration): boolean {
  const keys = new Set(env.WITNESSES.map(({ key }) => verifierKeyText(key)));
  return cosignatures.filter(({ witness }) => keys.has(witness)).length >= env.WITNESSES_NEEDED;
}
