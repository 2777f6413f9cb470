import type { JsonObject } from '@app/kernel';

const withoutTerms = (stored: JsonObject): JsonObject => ({ ...stored, terms: [] });

/** Of whichever stream holds an approval. Version 1 had a summary of at most 320 characters alone. */
export const approvalUpcasters = { 'approval.opened': [withoutTerms] };
