import { positiveInteger } from './variable-rules';

/** The environment variables that keep one user from taking what is everybody's (docs/decisions/conventions.md, "Shares and quotas"). */
export const shareVariables = {
  EXECUTION_CAPACITY_PER_USER: positiveInteger({
    default: undefined,
    desc: "How many of them may be one user's; unset: a quarter of EXECUTION_CAPACITY, at least 4",
  }),
};
