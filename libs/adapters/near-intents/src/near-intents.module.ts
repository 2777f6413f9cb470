import { Module } from '@nestjs/common';
import { Clock } from '@app/kernel';
import { Metrics } from '@app/runtime';
import { Configuration } from '@app/settings';
import { measured, Signer, WalletProvider } from '@app/wallets';
import { Gauge } from 'prom-client';
import { JsonHttp, type Api } from './json-http';
import { NearIntents } from './near-intents.adapter';
import { OneClick } from './one-click.adapter';
import { SolverRelay } from './solver-relay';
import { TokenList } from './token-list';
import { Verifier } from './verifier';

/** How long 1Click's prices are cached, in real time. */
const tokensTtlMs = 10_000;
/** How many times an unanswered call without effects is repeated. */
const repeatsMax = 1;

/** The provider, connected to the APIs that the configuration names. */
export function nearIntents(
  { env }: Configuration,
  signer: Signer,
  clock: Clock,
  { ttlMs = tokensTtlMs, metrics }: { readonly ttlMs?: number; readonly metrics?: Metrics } = {},
): NearIntents {
  const keyed = (key: string | undefined): Api['headers'] => (key === undefined ? {} : { 'x-api-key': key });
  const apis: JsonHttp[] = [];
  const http = (name: string, url: string, headers: Api['headers']): JsonHttp => {
    const made = new JsonHttp({
      name,
      url: url.replace(/\/$/, ''),
      headers,
      timeoutMs: env.PROVIDER_TIMEOUT_MS,
      breakerFailures: env.PROVIDER_BREAKER_FAILURES,
      breakerOpenMs: env.PROVIDER_BREAKER_OPEN_MS,
      repeatsMax,
    });
    apis.push(made);
    return made;
  };
  const verifier = new Verifier(http('NEAR RPC', env.NEAR_RPC_URL, {}));
  const relay = new SolverRelay(http('solver relay', env.SOLVER_RELAY_URL, keyed(env.SOLVER_RELAY_TOKEN)));
  const oneClick = new OneClick(http('1Click', env.ONE_CLICK_URL, keyed(env.ONE_CLICK_TOKEN)), env.ONE_CLICK_QUOTE_KEY);
  if (metrics !== undefined) showBreakers(metrics, apis);
  return new NearIntents({ verifier, relay, oneClick }, new TokenList(oneClick, ttlMs), signer, clock);
}

function showBreakers({ registry }: Metrics, apis: readonly JsonHttp[]): void {
  const open: Gauge = new Gauge({
    name: 'parley_wallet_provider_breaker_open',
    help: 'Whether this process does not ask an API of the wallet provider because it did not answer (1), or does (0)',
    labelNames: ['api'],
    registers: [registry],
    collect: () => {
      for (const { api, isOpen } of apis) open.set({ api: api.name }, isOpen ? 1 : 0);
    },
  });
}

/** Binds WalletProvider to NEAR Intents; the importing composition must provide a Signer globally. */
@Module({
  providers: [
    {
      provide: WalletProvider,
      inject: [Configuration, Signer, Clock, Metrics],
      useFactory: (configuration: Configuration, signer: Signer, clock: Clock, metrics: Metrics) =>
        measured(nearIntents(configuration, signer, clock, { metrics }), metrics),
    },
  ],
  exports: [WalletProvider],
})
export class NearIntentsModule {}
