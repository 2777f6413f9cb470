export { ByteScan } from './byte-scan';
export { MarkedWords } from './marked-words';
