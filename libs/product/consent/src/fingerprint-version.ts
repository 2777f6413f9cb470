/**
 * The version of fingerprints that an approval is opened with: 2 covers summary and terms as well. Approvals that were opened with 1
 * verify by it.
 */
export const fingerprintVersion = 2 as const;
export type FingerprintVersion = 1 | typeof fingerprintVersion;
