export { impoliteKinds, type ImpoliteKind } from './kinds';
export { impoliteOutcomes } from './outcomes';
