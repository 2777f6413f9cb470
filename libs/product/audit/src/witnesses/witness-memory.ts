import { hash } from 'node:crypto';
import { quotedExactly, words } from '@app/kernel';
import { abortAfter, fetchWithoutRedirects } from '@app/runtime';
import { boundedText, WitnessTrouble } from './witness-call';
import type { WitnessAddress } from '@app/settings';
import { openCheckpoint, parseVerifierKey, type TreeHead } from '@app/transparency';
import type { CheckpointsState } from '../checkpoints/checkpoints.decider';
import type { LogKeys } from '../signing/log-keys';

/** Everything a witness publishes of a log. Source: C2SP tlog-witness, "Monitor Retrieval Mechanism"; `fork` is our addition. */
export interface WitnessMemory {
  /** The checkpoint that it signed last, with its own line; null if it signed none. */
  readonly checkpoint: string | null;
  /** Its proof that the log showed two histories; null if it has none. */
  readonly fork: string | null;
}

const answerWithinMs = 10_000;

/** Asks a witness what it signed of a log. @throws WitnessTrouble if it does not answer as a witness does */
export async function askWitness(url: string, origin: string): Promise<WitnessMemory> {
  const place = `${url.replace(/\/$/, '')}/${hash('sha256', origin, 'hex')}`;
  return { checkpoint: await textAt(`${place}/checkpoint`), fork: await textAt(`${place}/fork`) };
}

async function textAt(url: string): Promise<string | null> {
  const response = await fetchWithoutRedirects(url, { signal: abortAfter(answerWithinMs) }).catch((cause: unknown) => {
    throw new WitnessTrouble(words`${quotedExactly(url)} does not answer`, null, { cause });
  });
  const text = await boundedText(response);
  if (response.status === 404) return null;
  if (response.status !== 200) throw new WitnessTrouble(words`${quotedExactly(url)} answered ${response.status}`);
  return text;
}

/**
 * The tree of a checkpoint that a witness shows, if the log's own key and that witness signed it; null otherwise. A
 * witness's claim alone proves nothing; the log's own signature does. Throws Unavailable.
 */
export async function signedByLog(
  checkpoint: string,
  { key }: WitnessAddress,
  { keys, origin }: CheckpointsState,
  logKeys: LogKeys,
): Promise<TreeHead | null> {
  const own = origin === null ? [] : [await logKeys.of(origin)];
  const log = [...keys.flatMap((text) => parseVerifierKey(text) ?? []), ...own];
  const opened = openCheckpoint(checkpoint, { log, witnesses: [key], needed: 1 });
  return typeof opened === 'string' || !opened.isWitnessed ? null : opened;
}
