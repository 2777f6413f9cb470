import { httpUrl, positiveInteger, Rule } from '@app/runtime';
import { makeValidator, str } from 'envalid';

/** A public key as NEAR spells it: 32 bytes in base58. */
const ed25519Key = makeValidator<string>((text) => {
  if (!/^ed25519:[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) throw new Rule('must be ed25519: and a key in base58');
  return text;
});

/** The environment variables of wallets and their provider. */
export const providerVariables = {
  WALLET_PROVIDER: str({
    choices: ['sandbox', 'near-intents'] as const,
    default: 'sandbox',
    desc: 'Where agent wallets live: sandbox is a ledger in PostgreSQL; production takes near-intents only',
  }),
  NEAR_RPC_URL: httpUrl({
    default: 'https://free.rpc.fastnear.com',
    desc: "JSON-RPC of a NEAR node, for the provider near-intents; the default is a public one's",
  }),
  ONE_CLICK_URL: httpUrl({ default: 'https://1click.chaindefuser.com', desc: '1Click, for the provider near-intents' }),
  ONE_CLICK_TOKEN: str({
    default: undefined,
    desc: 'Secret, the key for 1Click from the partner portal of NEAR Intents; unset: swaps cost a higher fee',
  }),
  ONE_CLICK_QUOTE_KEY: ed25519Key({
    default: undefined,
    desc: "The key by which 1Click signs its quotes, as ed25519: and base58; unset: the one that 1Click's SDK names",
  }),
  SOLVER_RELAY_URL: httpUrl({
    default: 'https://solver-relay-v2.chaindefuser.com/rpc',
    desc: 'The solver relay, for the provider near-intents',
  }),
  SOLVER_RELAY_TOKEN: str({
    default: undefined,
    desc: 'Secret, the key for the solver relay, which takes nothing without it; production with near-intents must have it',
  }),
  PROVIDER_TIMEOUT_MS: positiveInteger({
    default: 10_000,
    desc: 'How long one request to a provider may take, in milliseconds',
  }),
  PROVIDER_BREAKER_FAILURES: positiveInteger({
    default: 5,
    desc: 'So many requests in a row that a provider did not answer stop further ones',
  }),
  PROVIDER_BREAKER_OPEN_MS: positiveInteger({
    default: 5000,
    desc: 'How long a provider that did not answer is not asked, in milliseconds',
  }),
};

/** Refuses the sandbox's ledger in production, as `NAME: rule`. */
export function sandboxWallets({
  PARLEY_MODE: mode,
  WALLET_PROVIDER: provider = 'sandbox',
}: NodeJS.ProcessEnv): string[] {
  return mode === 'production' && provider === 'sandbox' ? ['WALLET_PROVIDER: production takes near-intents only'] : [];
}

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
