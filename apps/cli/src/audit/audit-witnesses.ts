import { askWitness, type Claim } from '@app/audit';
import type { Configuration } from '@app/settings';
import { cosignaturesBy, parseCheckpoint, parseNote, type VerifierKey } from '@app/transparency';
import { CommandFailed } from '../terminal/outcome';

/**
 * Returns the last checkpoint that each witness signed of this log and, if it has a proof that the log forked, the two of that proof.
 * @param urls as given to `--ask`: an empty one for each of WITNESSES
 * @param named public keys of `--witness`; empty for those of WITNESSES
 * @throws CommandFailed when one does not answer, signed nothing of this log, or did not sign its answer with a key that is named for it,
 * because the caller asked for its answer
 */
export async function witnessClaims(
  urls: readonly string[],
  { env }: Configuration,
  claims: readonly Claim[],
  named: readonly VerifierKey[],
): Promise<Claim[]> {
  if (urls.length === 0) return [];
  const asked = [...new Set(urls.flatMap((url) => (url === '' ? env.WITNESSES.map((one) => one.url) : [url])))];
  if (asked.length === 0) throw new CommandFailed('WITNESSES is empty: --ask <url> names a witness');
  const origin = originIn(claims);
  if (origin === null) throw new CommandFailed('the log has no checkpoint that a witness could be asked about');
  return (await Promise.all(asked.map((url) => claimsOf(url, origin, keysOf(url, env, named))))).flat();
}

function originIn(claims: readonly Claim[]): string | null {
  const newest = claims.at(-1);
  return (newest && parseCheckpoint(parseNote(newest.note)?.text ?? '')?.origin) ?? null;
}

/** Keys of which one must have signed the answer of a URL; none when no key of it was named. */
function keysOf(url: string, { WITNESSES }: Configuration['env'], named: readonly VerifierKey[]) {
  const own = WITNESSES.filter((one) => one.url === url).map(({ key }) => key);
  return own.length > 0 ? own : named;
}

async function claimsOf(url: string, origin: string, keys: readonly VerifierKey[]): Promise<Claim[]> {
  const { checkpoint, fork } = await askWitness(url, origin).catch((error: unknown) => {
    throw new CommandFailed(`the witness cannot be asked: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (checkpoint === null) throw new CommandFailed(`the witness at ${url} has signed nothing of ${origin}`);
  const note = parseNote(checkpoint);
  if (keys.length > 0 && (note === null || cosignaturesBy(note, keys).length === 0))
    throw new CommandFailed(`what ${url} answers is not signed by a witness that you named (--witness, or WITNESSES)`);
  const notes = [checkpoint, ...(fork === null ? [] : notesIn(fork))];
  return notes.map((note, nth) => ({
    where: nth === 0 ? `the witness at ${url}` : `the fork that the witness at ${url} found`,
    note,
    fixed: null,
    witnesses: [],
    // Only the first is signed by the witness itself.
    isOutside: nth === 0,
    isOfUnknown: nth === 0 && keys.length === 0,
  }));
}

/** The two checkpoints of an evidence file (docs/witness.md). */
function notesIn(fork: string): string[] {
  const parts = fork.split(/^===== .*\n/m).slice(1);
  return parts.filter((part) => parseNote(part) !== null);
}
