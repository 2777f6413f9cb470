import { parsePath, parseProof, proofText } from '@app/transparency';

/**
 * Returns the proof that one event of a receipt is in the log, as a `.tlog-proof` file for other verifiers (C2SP
 * tlog-proof). The leaf is the RFC 8785 form of the event's `{stream, revision, id, type, dataSha256, metadataSha256}`.
 * Null if the receipt has no proof of that event, or a malformed one.
 * @param receipt as `approvals.receipt` answers it. @param event index of the event in the receipt, from 0
 */
export function eventProof(receipt: unknown, event: number): string | null {
  const proof = memberOf(receipt, 'proof');
  const [checkpoint, inclusion] = [memberOf(proof, 'checkpoint'), memberOf(memberOf(proof, 'inclusions'), event)];
  const [index, hashes] = [memberOf(inclusion, 'index'), memberOf(inclusion, 'path')];
  if (typeof checkpoint !== 'string' || typeof index !== 'number' || !isTexts(hashes)) return null;
  const path = parsePath(hashes);
  const text = path && proofText({ index, path, checkpoint });
  return text !== null && parseProof(text) !== null ? text : null;
}

function memberOf(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
