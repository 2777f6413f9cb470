import { parseVerifierKey, type SignatureKind, type TrustPolicy, type VerifierKey } from '@app/transparency';

/** Public keys, as they are written: `<name>+<id>+<key>`. */
export interface TrustedKeys {
  /** Of the log: those that it signed with over time. */
  readonly log: readonly string[];
  readonly witnesses?: readonly string[];
  /** How many of the witnesses must have signed; all of them unless said. */
  readonly needed?: number;
}

/** Whom to trust. @throws RangeError for a text that is no such key, and where more witnesses are needed than there are */
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
