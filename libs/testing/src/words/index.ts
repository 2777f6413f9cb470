export { ByteScan, type Found } from './byte-scan';
export { MarkedWords } from './marked-words';
