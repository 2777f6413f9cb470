import { Rule, wholeNumber, wrongInCalledUrl } from '@app/runtime';
import { parseVerifierKey, type VerifierKey } from '@app/transparency';
import { makeValidator } from 'envalid';

/** A witness of the log: its key, and the address of its add-checkpoint service. */
export interface WitnessAddress {
  readonly key: VerifierKey;
  /** Without a slash at the end. */
  readonly url: string;
}

const witnessesMax = 16;
const seedBytes = 32;

const signingSeed = makeValidator<string>((text) => {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text) || Buffer.from(text, 'base64').length !== seedBytes)
    throw new Rule('must be 32 bytes in base64');
  return text;
});

const witnesses = makeValidator<readonly WitnessAddress[]>((text) => {
  const parsed = text.split(',').map((item) => parseWitness(item.trim()));
  const found = parsed.filter((witness) => witness !== null);
  const keys = new Set(found.map(({ key }) => Buffer.from(key.publicKey).toString('hex')));
  if (found.length < parsed.length)
    throw new Rule('must be verifier keys of witnesses, each with its URL behind a space');
  if (keys.size < found.length) throw new Rule('must name each key once');
  const wrong = found.map(({ url }) => wrongInCalledUrl(url)).find((words) => words !== null);
  if (wrong !== undefined) throw new Rule(`each URL ${wrong}`);
  if (found.length > witnessesMax) throw new Rule(`must be ${witnessesMax} at most`);
  return found;
});

function parseWitness(item: string): WitnessAddress | null {
  const [keyText = '', url = '', ...rest] = item.split(/\s+/);
  const key = parseVerifierKey(keyText);
  if (key?.kind !== 'witness' || rest.length > 0 || !/^https?:\/\/[^\s@]+$/.test(url)) return null;
  return { key, url: url.replace(/\/+$/, '') };
}

/** The environment variables of the log of all events (docs/decisions/proof.md). */
export const auditVariables = {
  AUDIT_SIGNING_KEY: signingSeed({
    default: undefined,
    desc: "Secret, 32 bytes in base64: the Ed25519 key that signs the log's checkpoints; unset: it derives from PARLEY_SECRET_KEY",
  }),
  WITNESSES: witnesses({
    default: [],
    desc: "Witnesses of the log, with commas between: a verifier key, a space, the URL of the witness's add-checkpoint without that name",
  }),
  WITNESSES_NEEDED: wholeNumber({
    default: 0,
    desc: 'So many witnesses must have signed a checkpoint before receipts and metrics call it witnessed',
  }),
};

/** Refuses to need more witnesses than are configured. */
export function witnessProblems({
  WITNESSES: named = '',
  WITNESSES_NEEDED: needed = '0',
}: NodeJS.ProcessEnv): string[] {
  const count = named.split(',').filter((item) => item.trim() !== '').length;
  return Number(needed) > count ? ['WITNESSES_NEEDED: must be no more than there are WITNESSES'] : [];
}
