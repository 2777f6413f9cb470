import { providerContract } from './provider-contract';
import { startSandboxProvider } from './sandbox-provider';

providerContract('the sandbox ledger', startSandboxProvider);
