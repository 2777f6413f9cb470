import { verdictOn, type Evidence, type Verdict } from './outcome.decider';

const deadlineMs = Date.UTC(2026, 10, 23, 12);
const nonceExpiresAtMs = deadlineMs + 24 * 60 * 60 * 1000;

/** Neither relay nor contract knows the transfer, and its deadline has not passed. */
const fresh: Evidence = {
  relay: 'not_found',
  revocation: null,
  isNonceUsed: false,
  isSaltValid: true,
  block: { epochMs: deadlineMs - 60_000 },
  deadlineMs,
  nonceExpiresAtMs,
};
const atMs = (epochMs: number): Partial<Evidence> => ({ block: { epochMs } });
const over = atMs(deadlineMs + 1);
const used: Partial<Evidence> = { isNonceUsed: true };

describe('what became of a signed transfer', () => {
  it.each<[history: string, evidence: Partial<Evidence>, verdict: Verdict]>([
    ['nobody has executed it so far', {}, 'open'],
    ['the relay has it under way', { relay: 'pending' }, 'under_way'],
    ['the relay has it executed, and the final block lags behind', { relay: 'settled' }, 'executed'],
    ['it was executed, and the relay has forgotten it', used, 'executed'],
    ['it was refused, and then executed by strangers', { ...used, relay: 'failed' }, 'executed'],
    ['the relay failed to execute it, and others still can', { relay: 'failed' }, 'under_way'],
    ['block time is the deadline itself', atMs(deadlineMs), 'open'],
    ['its deadline has passed by block time', over, 'never'],
    ['the relay failed to execute it, and its deadline has passed', { ...over, relay: 'failed' }, 'never'],
    ['the relay has it under way for longer than its deadline', { ...over, relay: 'pending' }, 'never'],
    ['relay and chain contradict each other', { ...over, relay: 'settled' }, 'unknown'],
    ['the contract may have forgotten the nonce', atMs(nonceExpiresAtMs), 'unknown'],
    ['the contract may have forgotten nonces of the salt', { ...over, isSaltValid: false }, 'unknown'],
    ['it was executed, whatever the contract may have forgotten', { ...used, ...atMs(nonceExpiresAtMs) }, 'executed'],
  ])('%s', (_, evidence, verdict) => expect(verdictOn({ ...fresh, ...evidence })).toBe(verdict));

  it.each<[history: string, evidence: Partial<Evidence>, verdict: Verdict]>([
    ['its revocation was not executed so far', { revocation: 'not_found' }, 'open'],
    ['its revocation is under way', { revocation: 'pending' }, 'open'],
    ['its revocation was executed', { ...used, revocation: 'settled' }, 'never'],
    ['its revocation was executed, and the final block lags behind', { revocation: 'settled' }, 'open'],
    ['it was executed before its revocation', { ...used, relay: 'settled', revocation: 'failed' }, 'executed'],
    [
      'it was executed while its revocation is under way',
      { ...used, relay: 'settled', revocation: 'pending' },
      'executed',
    ],
    ['one of the two was executed, and the revocation is under way', { ...used, revocation: 'pending' }, 'open'],
    [
      'one of the two was executed, and it is under way',
      { ...used, relay: 'pending', revocation: 'failed' },
      'under_way',
    ],
    ['one of the two was executed, and the relay knows neither', { ...used, revocation: 'not_found' }, 'unknown'],
    ['the relay says that both were', { ...used, relay: 'settled', revocation: 'settled' }, 'unknown'],
    ['neither was until the deadline', { ...over, revocation: 'pending' }, 'never'],
  ])('and was to be revoked: %s', (_, evidence, verdict) => expect(verdictOn({ ...fresh, ...evidence })).toBe(verdict));
});
