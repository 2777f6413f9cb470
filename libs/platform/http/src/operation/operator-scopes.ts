/** The scopes of an operator's token, as its `scope` claim names them: each operation under `/operator/v1` requires one of these. */
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
