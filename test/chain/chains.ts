import { readFileSync } from 'node:fs';
import { startNearProvider, type NearUnderTest } from '../providers/near-provider';
import { startContractProvider } from './contract-provider';

/** What plays the verifier contract: our double, and the contract's own WebAssembly where VERIFIER_WASM names one. */
interface Chain {
  readonly name: string;
  readonly isContract: boolean;
  start(): Promise<NearUnderTest>;
}

const wasm = process.env['VERIFIER_WASM'];
const ourDouble: Chain = { name: 'our double', isContract: false, start: () => startNearProvider() };

/** Whom every case is put to. */
export const chains: readonly Chain[] = [
  ourDouble,
  ...(wasm === undefined
    ? []
    : [{ name: 'the contract', isContract: true, start: () => startContractProvider(readFileSync(wasm)) }]),
];

/** Says once what was tried. */
export function sayWhoPlays(): void {
  if (wasm === undefined) process.stdout.write('chain: our double alone; VERIFIER_WASM names no contract\n');
}
