import { fetchWithoutRedirects } from '@app/runtime';
import type { WitnessAddress } from '@app/settings';
import { checkpointText, emptyRoot, noteText } from '@app/transparency';
import { findingsOf, type Finding } from './doctor-finding';
import { reasonIn } from '../terminal/outcome';

const { ok, bad } = findingsOf('witness');
const answersWithinMs = 5_000;
/** Length of an Ed25519 signature. Source: RFC 8032. */
const signatureBytes = 64;

/**
 * Checks whether each witness answers as one, and knows the log. It gets a submission that no key of the log signed, or an empty one when
 * the log is not known: a witness refuses both, and stores nothing of them.
 */
export async function witnessFindings(
  witnesses: readonly WitnessAddress[],
  origin: string | null,
): Promise<readonly Finding[]> {
  return Promise.all(witnesses.map((witness) => witnessFinding(witness, origin)));
}

async function witnessFinding({ key: { name }, url }: WitnessAddress, origin: string | null): Promise<Finding> {
  const at = `${name} at ${url}`;
  try {
    const answer = await fetchWithoutRedirects(`${url}/add-checkpoint`, {
      method: 'POST',
      body: origin === null ? '' : unsignedOffer(origin),
      signal: AbortSignal.timeout(answersWithinMs),
    });
    await answer.body?.cancel();
    // Source: C2SP tlog-witness, "add-checkpoint": 400 is a malformed request, 404 an unknown log, 403 a missing signature of its key.
    if (answer.status === 403 && origin !== null) return ok(`${at} answers, and knows this log`);
    if (answer.status === 400) return ok(`${at} answers`);
    if (answer.status === 404 && origin !== null)
      return bad(
        `${at} does not know the log ${origin}: give it the log's key (docs/witness.md), or correct WITNESSES`,
      );
    return bad(
      `${at} does not answer as a witness (status ${answer.status}): look whether it runs, or correct WITNESSES`,
    );
  } catch (error) {
    const says = `${at} does not answer (${reasonIn(error)}): look whether it runs, or correct WITNESSES`;
    return bad(says);
  }
}

/** A checkpoint of a tree without leaves, with an invalid signature. */
function unsignedOffer(origin: string): string {
  const text = checkpointText({ origin, size: 0, root: emptyRoot() });
  const signature = { name: origin, keyId: '00000000', bytes: new Uint8Array(signatureBytes) };
  return `old 0\n\n${noteText({ text, signatures: [signature] })}`;
}
