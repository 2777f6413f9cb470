import type { Instant } from '@app/kernel';
import { Probe, type ProbePoint } from '@app/runtime';
import type { Hold } from '../src/settlement/authority-uses';
import type { OperationPorts } from '../src/settlement/operation-ports';
import { operationDecider } from '../src/operation/operation.decider';
import type { OperationEvent } from '../src/operation/operation.events';
import type { Revocation } from '../src/provider/submission';
import {
  WalletProvider,
  type Holding,
  type Order,
  type Planned,
  type Revocations,
  type Settlement,
  type Submitted,
  type Token,
} from '../src/provider/wallet-provider';
import { at, operationId, reference, used } from './operation-facts';

const usdc: Holding = {
  tokenId: 'nep141:usdc',
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
  priceUsdDecimal: '1',
  iconUrl: null,
  amountRaw: '9000000',
};

/** Answers as the test says; by default it accepts everything and settles at once. */
class ScriptedProvider extends WalletProvider {
  override readonly name = 'sandbox';
  readonly calls: string[] = [];
  held: readonly Holding[] = [usdc];
  decimals = 24;
  submits: () => Submitted = () => ({ kind: 'accepted', providerReference: reference, checkAt: null });
  settles: () => Settlement = () => ({
    kind: 'settled',
    providerReference: reference,
    output: null,
    returned: null,
  });

  override connect = async (): Promise<void> => undefined;
  override isMainAccount = async (): Promise<boolean> => true;
  override hasSession = async (): Promise<boolean> => true;
  override holdings = async (): Promise<readonly Holding[]> => this.held;
  override findToken = async (): Promise<Token | null> => ({ ...usdc, decimals: this.decimals });
  override tokensCalled = async (): Promise<readonly Token[]> => [usdc];
  override plan = async ({ key, attempt, order, latestDeadline }: Order): Promise<Planned> => {
    this.calls.push(`plan ${key}`);
    if (order.kind === 'swap_exact_output') throw new Error('no test orders that');
    const { input } = order;
    const output = order.kind === 'withdraw' ? null : { tokenId: order.outputTokenId, amountRaw: '1' };
    const promised = { output, leastOutput: output, quote: null };
    return { ok: true, submission: { key, attempt, bytes: key, input, ...promised, deadline: latestDeadline } };
  };
  override submit = async (_: unknown, { key }: { readonly key: string }): Promise<Submitted> => {
    this.calls.push(`submit ${key}`);
    return this.submits();
  };
  override revocations: Revocations | null = null;
  revocationAsked: Revocation | null = null;
  override settlement = async (
    _: unknown,
    { key }: { readonly key: string },
    revocation?: Revocation | null,
  ): Promise<Settlement> => {
    this.calls.push(`ask ${key}`);
    this.revocationAsked = revocation ?? null;
    return this.settles();
  };
}

class CountingProbe extends Probe {
  readonly passed: ProbePoint[] = [];
  override reached(point: ProbePoint): void {
    this.passed.push(point);
  }
}

/** An agent's swap and withdrawal that have just been used. */
export class ScriptedWorld implements OperationPorts {
  readonly operationId = operationId;
  readonly provider = new ScriptedProvider();
  readonly probe = new CountingProbe();
  readonly events: OperationEvent[] = [used];
  nowIs: Instant = at;
  status: 'active' | 'disabled' = 'active';
  free: readonly Holding[] = [usdc];
  rejections = 0;

  now = () => this.nowIs;
  fold = async () => this.events.reduce(operationDecider.evolve, operationDecider.initialState);
  record: OperationPorts['record'] = async (command) => {
    const decision = operationDecider.decide(command, await this.fold());
    if (!decision.accepted) throw new Error('refused');
    this.events.push(...decision.events);
    return { appended: decision.events.length > 0, state: await this.fold() };
  };
  wallet: OperationPorts['wallet'] = async ({ terms: { userId, walletId } }) => ({
    userId,
    walletId,
    address: 'ab'.repeat(32),
    provider: 'sandbox',
    createdAt: at,
    status: this.status,
    authStatus: 'ready',
    mainAccountId: 'ada.near',
  });
  spendable: OperationPorts['spendable'] = async () => ({ ok: true, value: this.free });
  /** The answers of the ledger of uses, and the amounts that it was asked to hold. */
  holds: Hold = 'held';
  readonly held: string[] = [];
  hold: OperationPorts['hold'] = async (_, usd) => {
    this.held.push(usd);
    return this.holds;
  };
  sessionRejected = async () => {
    this.rejections += 1;
  };

  get types(): string[] {
    return this.events.slice(1).map(({ type }) => type);
  }
}
