export { canonicalText, fingerprintOf, sha256Hex } from './canonical';
