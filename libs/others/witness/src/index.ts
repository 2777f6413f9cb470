export { witnessCommand, type ProgramOptions } from './options';
export { witnessServer } from './server';
export { FolderInUse, openWitness, type Witness, type WitnessOptions } from './witness';
export { KeyRefused } from './witness-key';
