import { parseVerifierKey, type SignatureKind, type TrustPolicy, type VerifierKey } from '@app/transparency';

/** Public keys in their text form: `<name>+<id>+<key>`. */
export interface TrustedKeys {
  /** Keys of the log: all that it has signed with over time. */
  readonly log: readonly string[];
  readonly witnesses?: readonly string[];
  /** How many of the witnesses must have signed; all of them by default. */
  readonly needed?: number;
}

/** Returns a trust policy. @throws RangeError for an invalid key, or if `needed` is not 0 to the number of witnesses */
export function trustPolicy({ log, witnesses = [], needed = witnesses.length }: TrustedKeys): TrustPolicy {
  if (!Number.isInteger(needed) || needed < 0 || needed > witnesses.length)
    throw new RangeError(`${needed} of ${witnesses.length} witnesses`);
  return {
    log: log.map((text) => keyOf('log', text)),
    witnesses: witnesses.map((text) => keyOf('witness', text)),
    needed,
  };
}

function keyOf(kind: SignatureKind, text: string): VerifierKey {
  const key = parseVerifierKey(text);
  if (key?.kind !== kind) throw new RangeError(`no key of a ${kind}: ${text}`);
  return key;
}
