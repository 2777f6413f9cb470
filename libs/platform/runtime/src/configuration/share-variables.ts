import { byteCount, positiveInteger } from './variable-rules';

/** The environment variables that keep one user from taking shared resources (docs/decisions/conventions.md, "Shares and quotas"). */
export const shareVariables = {
  EXECUTION_CAPACITY_PER_USER: positiveInteger({
    default: undefined,
    desc: "How many of them may be one user's; unset: a quarter of EXECUTION_CAPACITY, at least 4",
  }),
  ARTIFACT_BYTES_PER_USER: byteCount({ default: 1_073_741_824, desc: 'Bytes of artifacts that a user can have' }),
  CONVERSATIONS_PER_USER: positiveInteger({
    default: 10_000,
    desc: 'Conversations that a user can have, besides archived ones',
  }),
  PENDING_APPROVALS_PER_USER: positiveInteger({
    default: 200,
    desc: 'Approvals of a user that can wait for a decision at once',
  }),
  PREPARED_WITHDRAWALS_PER_USER: positiveInteger({
    default: 20,
    desc: 'Withdrawals of a user that can be prepared and not yet confirmed at once',
  }),
};
