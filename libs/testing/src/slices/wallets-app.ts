import { Module } from '@nestjs/common';
import type { WithdrawalChange } from '@app/kernel';
import { approvalsReadModel } from '@app/approvals';
import { partnersReadModel } from '@app/partners';
import {
  sandboxLedgerMigrations,
  sandboxStateMigrations,
  LedgerOrders,
  LedgerWallets,
  Market,
  ProviderFaults,
  SandboxLedger,
} from '@app/sandbox';
import { timersMigrations, TimersModule } from '@app/timers';
import { usersReadModel } from '@app/users';
import { SettlementModule, WalletKeysModule, WalletProvider, WalletsModule, walletsReadModel } from '@app/wallets';
import type { JWTPayload } from 'jose';
import { type Answer, requestJson } from '../client';
import { assembled, provisioned, type Replica, Slices } from './slices-app';

export const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
/** Answers of calls that are refused. */
export const changed = (change: WithdrawalChange) => {
  return { status: 409, body: { reason: 'withdrawal_changed', change, retryable: false } };
};
export const away = { status: 503, body: { reason: 'provider_unavailable', retryable: true } };
const noFaults = { down: false, sessionRejected: false, unpriced: false, undescribed: false };

/** The sandbox's ledger behind the port, with the clock of the replica. */
class LedgerModule {}
Module({})(LedgerModule);
const ledger = [Market, ProviderFaults, LedgerWallets, LedgerOrders];
const provider = {
  module: LedgerModule,
  global: true,
  providers: [...ledger, { provide: WalletProvider, useClass: SandboxLedger }],
  exports: [...ledger, WalletProvider],
};

/** Starts wallets on the sandbox's ledger, without the settlement of confirmed operations unless a test asks for it. */
export function startWallets({ settling = false }: { readonly settling?: boolean } = {}): Promise<Slices> {
  const timers = TimersModule.register({ worker: settling });
  const modules = [timers, WalletKeysModule, provider, WalletsModule, ...(settling ? [SettlementModule] : [])];
  return Slices.start((configuration, clock) =>
    assembled(configuration, clock, {
      modules,
      // Approvals count against their quota.
      readModels: [partnersReadModel, usersReadModel, walletsReadModel, approvalsReadModel],
      operationalTables: [...timersMigrations, ...sandboxStateMigrations, ...sandboxLedgerMigrations],
    }),
  );
}

/** The answer of `wallets.prepareWithdrawal`. */
export interface Prepared {
  readonly operationId: string;
  readonly approvalId: string;
  readonly fingerprint: string;
  readonly expiresAt: string;
  readonly mainAccountId: string;
  readonly contract: object;
}

/** A user with an account, calling a replica as a partner's backend does. */
export class WalletUser {
  private constructor(
    readonly userId: string,
    private readonly headers: Record<string, string>,
  ) {}

  /** @param claims further claims of the user's token, in addition to its subject */
  static async provisioned(
    slices: Slices,
    replica: Replica,
    subject: string,
    claims: JWTPayload = {},
  ): Promise<WalletUser> {
    const headers = await provisioned(slices, replica, subject, claims);
    return new WalletUser(slices.userId(subject), headers);
  }

  /** @param path below `/v1/users/{userId}` */
  async call<Body = Record<string, unknown>>(
    { url }: Replica,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer<Body>> {
    return requestJson<Body>(method, `${url}/v1/users/${this.userId}${path}`, body, this.headers);
  }

  /** Prepares a withdrawal; by default of 1.5 USDC. */
  async prepare(on: Replica, amountRaw = '1500000', tokenId = usdc): Promise<Answer<Prepared>> {
    return this.call<Prepared>(on, 'POST', '/wallet/withdrawals', { tokenId, amountRaw });
  }

  async confirm(
    on: Replica,
    { operationId, fingerprint }: Pick<Prepared, 'operationId' | 'fingerprint'>,
  ): Promise<Answer> {
    return this.call(on, 'POST', `/wallet/withdrawals/${operationId}/confirm`, { fingerprint });
  }
}

/** Creates a user with a wallet that is ready. */
export async function walletOwner(slices: Slices, replica: Replica, subject: string): Promise<WalletUser> {
  const user = await WalletUser.provisioned(slices, replica, subject);
  const { status, body } = await user.call(replica, 'POST', '/wallet');
  if (status !== 200) throw new Error(JSON.stringify(body));
  return user;
}

/**
 * Sets up a file of tests: two replicas on the same stores, of which the first projects; faults and clock are reset
 * after each test.
 */
export function twoReplicas() {
  let slices: Slices;
  let replica: Replica;
  let other: Replica;
  beforeAll(async () => {
    slices = await startWallets();
    replica = await slices.replica({ projecting: true });
    other = await slices.replica({ projecting: false });
  });
  afterAll(() => slices.stop());
  afterEach(async () => {
    await replica.get(ProviderFaults).change(noFaults);
    replica.clock.nowMs = Date.now();
  });
  return {
    get slices() {
      return slices;
    },
    get replica() {
      return replica;
    },
    get other() {
      return other;
    },
    faults: () => replica.get(ProviderFaults),
    owner: (subject: string) => walletOwner(slices, replica, subject),
    prepare: (of: WalletUser, amountRaw?: string, tokenId?: string) => of.prepare(replica, amountRaw, tokenId),
    confirm: (of: WalletUser, prepared: Pick<Prepared, 'operationId' | 'fingerprint'>, on = replica) =>
      of.confirm(on, prepared),
  };
}
