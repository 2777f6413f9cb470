import { readFileSync } from 'node:fs';
import { startNearProvider, type NearUnderTest } from '../providers/near-provider';
import { startContractProvider } from './contract-provider';

/**
 * An implementation of the verifier contract: our double, or the contract's own WebAssembly if VERIFIER_WASM names one.
 */
interface Chain {
  readonly name: string;
  readonly isContract: boolean;
  start(): Promise<NearUnderTest>;
}

const wasm = process.env['VERIFIER_WASM'];
const ourDouble: Chain = { name: 'our double', isContract: false, start: () => startNearProvider() };

/** The implementations on which every case runs. */
export const chains: readonly Chain[] = [
  ourDouble,
  ...(wasm === undefined
    ? []
    : [{ name: 'the contract', isContract: true, start: () => startContractProvider(readFileSync(wasm)) }]),
];

/** Prints that the contract itself was not tested, if VERIFIER_WASM names none. */
export function sayWhoPlays(): void {
  if (wasm === undefined) process.stdout.write('chain: our double alone; VERIFIER_WASM names no contract\n');
}
