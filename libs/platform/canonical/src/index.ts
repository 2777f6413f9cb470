export { canonicalText, fingerprintOf, hmacSha256Hex, sha256Hex } from './canonical';
