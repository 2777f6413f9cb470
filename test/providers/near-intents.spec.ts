import { startNearProvider } from './near-provider';
import { providerContract } from './provider-contract';

providerContract('NEAR Intents', startNearProvider);
