export { issuedTokens, type IssuedToken } from './issued-tokens';
export { LoopbackIssuer } from './loopback-issuer';
