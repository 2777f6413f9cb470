/** What an operator's token can be good for, as its `scope` claim names it: each operation under `/operator/v1` asks for one of these. */
export const operatorScopes = [
  'keys',
  'users',
  'runs',
  'automations',
  'deployment',
  'projections',
  'webhooks',
  'audit',
] as const;

export type OperatorScope = (typeof operatorScopes)[number];
