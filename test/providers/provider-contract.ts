import { Stage } from './contract-stage';
import { chaosCases } from './contract-chaos';
import { submissionCases } from './contract-submissions';
import { troubleCases } from './contract-troubles';
import { planCases, walletCases } from './contract-wallets';
import type { ProviderUnderTest } from './harness';

/**
 * The promises of every WalletProvider, whatever it is built on: those in the comments of the port,
 * libs/product/wallets/src/provider/wallet-provider.ts.
 */
export function providerContract(name: string, make: () => Promise<ProviderUnderTest>): void {
  describe(`${name} as a wallet provider`, () => {
    const stage = new Stage(make);
    beforeAll(() => stage.open());
    beforeEach(() => stage.begin());
    afterEach(() => stage.end());
    afterAll(() => stage.close());

    walletCases(stage);
    planCases(stage);
    submissionCases(stage);
    troubleCases(stage);
    chaosCases(stage);
  });
}
