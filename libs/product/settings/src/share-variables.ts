import { positiveInteger, Rule } from '@app/runtime';
import { makeValidator } from 'envalid';

const byteCount = makeValidator<number>((text) => {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new Rule('must be a whole number from 1 to 999999999999999');
  return Number(text);
});

/** The environment variables of the deployment's capacity, and of those that keep one user from taking shared resources (docs/decisions/conventions.md, "Shares and quotas"). */
export const shareVariables = {
  EXECUTION_CAPACITY: positiveInteger({ default: 64, desc: 'Run segments that may execute at once, deployment-wide' }),
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
