import type { UserId } from '@app/kernel';
import { publicKeyText } from '@app/near-intents';
import { NearChain, type ContractViews, type WireSigned } from '@app/testing/near';
import { usdc } from '../providers/harness';
import { startNearProvider, type NearUnderTest } from '../providers/near-provider';
import type { LedgerUnderTest } from '../providers/sandbox-provider';
import { ContractPanic } from './near-host';
import { WasmVerifier } from './wasm-verifier';

/** The initial balance of every wallet of the double. */
const startingUsdc = '250000000';

/** Our relay in front of the contract's own code. It does not support swaps. */
class ContractChain extends NearChain {
  /** Hashes of the intents that the relay has brought to the contract. */
  private readonly published = new Set<string>();

  constructor(
    ledger: LedgerUnderTest,
    userOf: (address: string) => UserId,
    readonly verifier: WasmVerifier,
  ) {
    super(ledger, userOf);
  }

  override async publish(signed: WireSigned, bytes: string) {
    const answer = await super.publish(signed, bytes);
    if (answer.status === 'OK') this.published.add(answer.intent_hash);
    return answer;
  }

  override async execute(signed: WireSigned): Promise<string | null> {
    return this.verifier.executeIntents(signed);
  }

  override async relayStatus(intentHash: string): Promise<object> {
    return this.published.has(intentHash)
      ? { intent_hash: intentHash, status: 'SETTLED', data: { hash: 'transaction' } }
      : { intent_hash: intentHash, status: 'NOT_FOUND_OR_NOT_VALID' };
  }

  override async balances(address: string): Promise<ReadonlyMap<string, bigint>> {
    return new Map([[usdc, this.verifier.balance(address, usdc)]]);
  }
}

/** The adapter, with access to the contract itself. */
export interface ContractUnderTest extends NearUnderTest {
  readonly verifier: WasmVerifier;
}

/** Starts the whole adapter on the contract's own code. */
export async function startContractProvider(wasm: Buffer<ArrayBuffer>): Promise<ContractUnderTest> {
  const world = await startNearProvider((ledger, userOf) => {
    const verifier = new WasmVerifier(wasm, ledger.clock);
    const views: ContractViews = async (method, args) => viewOf(verifier, method, args);
    return { chain: new ContractChain(ledger, userOf, verifier), views };
  });
  const { verifier } = world.chain as ContractChain; // made above
  return {
    ...world,
    verifier,
    newWallet: () => {
      const wallet = world.newWallet();
      verifier.mint(wallet.address, usdc, startingUsdc);
      return wallet;
    },
    fund: async ({ address }, { tokenId, amountRaw }) => verifier.mint(address, tokenId, amountRaw),
    received: async (mainAccountId, tokenId) => verifier.balance(mainAccountId, tokenId),
    lock: ({ address }) => verifier.lock(address),
    unlock: ({ address }) => verifier.unlock(address),
    rotateSalt: () => verifier.rotateSalt(),
    invalidateSalt: () => verifier.invalidateSalt(),
    removeKey: async ({ address }) => verifier.removeKey(address, publicKeyText(address)),
    giveBackKey: async ({ address }) => verifier.addKey(address, publicKeyText(address)),
  };
}

function viewOf(verifier: WasmVerifier, method: string, args: object): unknown {
  try {
    return verifier.view(method, args);
  } catch (error) {
    if (error instanceof ContractPanic) return undefined;
    throw error;
  }
}
