export { ImpoliteServer } from './impolite-server';
export { impoliteKinds, type ImpoliteKind } from './kinds';
export { impoliteOutcomes, type ImpoliteOutcomes } from './outcomes';
