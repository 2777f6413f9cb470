/**
 * The version of fingerprints of new approvals: 2 covers summary and terms as well. Approvals that were opened with 1
 * are verified by 1.
 */
export const fingerprintVersion = 2 as const;
export type FingerprintVersion = 1 | typeof fingerprintVersion;
