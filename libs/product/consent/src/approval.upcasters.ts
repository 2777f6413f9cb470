import type { JsonObject } from '@app/kernel';

const withoutTerms = (stored: JsonObject): JsonObject => ({ ...stored, terms: [] });

/** Before version 3, a fingerprint covered neither summary nor terms. */
const firstFingerprint = (stored: JsonObject): JsonObject => ({ ...stored, fingerprintVersion: 1 });

/** For every stream that holds approvals. Version 1 had only a summary of at most 320 characters. */
export const approvalUpcasters = { 'approval.opened': [withoutTerms, firstFingerprint] };
