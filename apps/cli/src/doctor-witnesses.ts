import { fetchWithoutRedirects, type WitnessAddress } from '@app/runtime';
import { finding, type Finding } from './doctor-finding';
import { reasonIn } from './outcome';

const answersWithinMs = 5_000;

/** Whether each witness answers as one. It is sent an empty offer, which a witness refuses and keeps nothing of. */
export async function witnessFindings(witnesses: readonly WitnessAddress[]): Promise<readonly Finding[]> {
  return Promise.all(witnesses.map(witnessFinding));
}

async function witnessFinding({ key: { name }, url }: WitnessAddress): Promise<Finding> {
  const at = `${name} at ${url}`;
  try {
    const answer = await fetchWithoutRedirects(`${url}/add-checkpoint`, {
      method: 'POST',
      body: '',
      signal: AbortSignal.timeout(answersWithinMs),
    });
    await answer.body?.cancel();
    // Source: C2SP tlog-witness, "add-checkpoint": a request that is malformed is 400.
    if (answer.status === 400) return finding('witness', 'ok', `${at} answers`);
    return finding(
      'witness',
      'bad',
      `${at} does not answer as a witness (status ${answer.status}): look whether it runs, or correct WITNESSES`,
    );
  } catch (error) {
    const says = `${at} does not answer (${reasonIn(error)}): look whether it runs, or correct WITNESSES`;
    return finding('witness', 'bad', says);
  }
}
