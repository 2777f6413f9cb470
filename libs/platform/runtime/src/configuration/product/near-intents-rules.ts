/**
 * Settings with which the provider `near-intents` cannot move money, as `NAME: rule`: a subject is not an account on NEAR, and the relay
 * accepts nothing without its token (docs/decisions/money.md).
 */
export function nearIntentsRules(given: NodeJS.ProcessEnv): string[] {
  if (given['WALLET_PROVIDER'] !== 'near-intents') return [];
  const broken: string[] = [];
  if (given['OIDC_MAIN_ACCOUNT_CLAIM'] === 'sub')
    broken.push('OIDC_MAIN_ACCOUNT_CLAIM: must name a claim with an account on NEAR, which sub is not');
  if (given['PARLEY_MODE'] === 'production' && !given['SOLVER_RELAY_TOKEN'])
    broken.push('SOLVER_RELAY_TOKEN: must be set, since the relay takes nothing without it');
  return broken;
}
