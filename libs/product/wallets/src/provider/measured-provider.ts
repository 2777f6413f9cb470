import { Unavailable } from '@app/kernel';
import type { Metrics } from '@app/runtime';
import { Gauge, Histogram } from 'prom-client';
import type { WalletProvider } from './wallet-provider';

const calls: Readonly<Record<Exclude<keyof WalletProvider, 'name' | 'revocations'>, true>> = {
  connect: true,
  hasSession: true,
  isMainAccount: true,
  holdings: true,
  findToken: true,
  tokensCalled: true,
  plan: true,
  submit: true,
  settlement: true,
};

/** The outcome of a call. A refusal, such as a rejected session, counts as answered. */
type Outcome = 'answered' | 'away';

/** Wraps the provider to report in `GET /metrics` how long its calls take and whether it answers. */
export function measured(provider: WalletProvider, { registry }: Metrics): WalletProvider {
  const registers = [registry];
  const durations = new Histogram<'call' | 'outcome'>({
    name: 'parley_wallet_provider_call_duration_seconds',
    help: 'Time of a call of the wallet provider with all its attempts, by call and outcome (answered, away)',
    labelNames: ['call', 'outcome'],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const up = new Gauge<'provider'>({
    name: 'parley_wallet_provider_up',
    help: 'Whether the wallet provider answered the last call of this process (1), or did not (0); absent before the first',
    labelNames: ['provider'],
    registers,
  });
  const note = (call: string, outcome: Outcome, startedMs: number): void => {
    durations.observe({ call, outcome }, (performance.now() - startedMs) / 1000);
    up.set({ provider: provider.name }, outcome === 'away' ? 0 : 1);
  };
  return new Proxy(provider, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function' || typeof name !== 'string' || !Object.hasOwn(calls, name)) return member;
      return async (...given: unknown[]): Promise<unknown> => {
        const startedMs = performance.now();
        try {
          const answer: unknown = await Reflect.apply(member, target, given);
          note(name, 'answered', startedMs);
          return answer;
        } catch (error) {
          note(name, error instanceof Unavailable ? 'away' : 'answered', startedMs);
          throw error;
        }
      };
    },
  });
}
