import { str } from 'envalid';
import { ed25519Key, httpUrl, positiveInteger } from '../variable-rules';

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
