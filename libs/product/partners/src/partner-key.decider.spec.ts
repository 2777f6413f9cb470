import { instant, specification } from '@app/testing/deciders';
import { partnerKeyDecider, type MintKey, type PartnerKeyCommand } from './partner-key.decider';
import type { PartnerKeyEvent } from './partner-key.events';
import { partnerKeyUpcasters } from './partner-key.upcasters';

const at = instant('2026-03-01T10:00Z');
const later = instant('2026-03-02T10:00Z');
const keyHash = 'a'.repeat(64);
const mint: MintKey = { type: 'MintKey', at, label: 'Acme', keyHash, feed: false, reason: null };
const revoke: PartnerKeyCommand = { type: 'RevokeKey', at: later, reason: 'leaked' };
const minted = {
  type: 'partner_key.minted',
  at,
  label: 'Acme',
  keyHash,
  reason: null,
  feed: false,
} satisfies PartnerKeyEvent;
const granted: PartnerKeyEvent = { type: 'partner_key.feed_granted', at: later, reason: null };
const revoked: PartnerKeyEvent = { type: 'partner_key.revoked', at: later, reason: 'leaked' };

describe('a partner key', () => {
  const key = specification(partnerKeyDecider);

  it('is minted once', () => key.when(mint).thenOnce(minted));
  it('is the same key under another label', () =>
    key
      .given(minted)
      .when({ ...mint, label: 'Other' })
      .thenNothing());
  it('never becomes another key', () =>
    key
      .given(minted)
      .when({ ...mint, keyHash: 'b'.repeat(64) })
      .thenRefused('invalid_input', { path: '/keyHash' }));

  it('takes a label of 100 code points', () => {
    const label = '\u{1f511}'.repeat(100);
    key.when({ ...mint, label }).then({ ...minted, label });
  });
  it.each(['', 'x'.repeat(101), '\u{1f511}'.repeat(101)])('refuses the label %p', (label) =>
    key.when({ ...mint, label }).thenRefused('invalid_input', { path: '/label' }),
  );
  it.each(['', 'a'.repeat(63), 'A'.repeat(64), `pk_${'x'.repeat(43)}`])('refuses %p as a hash', (wrong) =>
    key.when({ ...mint, keyHash: wrong }).thenRefused('invalid_input', { path: '/keyHash' }),
  );

  it.each(['', 'x'.repeat(501)])('takes no reason of %p', (reason) => {
    key.when({ ...mint, reason }).thenRefused('invalid_input', { path: '/reason' });
    key.given(minted).when({ type: 'RevokeKey', at, reason }).thenRefused('invalid_input', { path: '/reason' });
  });

  it('can have the feed from the first', () => key.when({ ...mint, feed: true }).thenOnce({ ...minted, feed: true }));
  it('is granted the feed later, once', () =>
    key
      .given(minted)
      .when({ ...mint, at: later, feed: true })
      .thenOnce(granted));
  it('keeps the feed', () => key.given(minted, granted).when(mint).thenNothing());
  it('is granted nothing once it is revoked', () =>
    key
      .given(minted, revoked)
      .when({ ...mint, feed: true })
      .thenRefused('partner_key_invalid'));

  it('has events of version 1, which gave no reason, and of version 2, before there was a feed', () => {
    const [addReason, addFeed] = partnerKeyUpcasters['partner_key.minted'];
    const second = addReason?.({ type: 'partner_key.minted', at, label: 'Acme', keyHash });
    expect(second).toEqual({ type: 'partner_key.minted', at, label: 'Acme', keyHash, reason: null });
    expect(addFeed?.(second ?? {})).toEqual(minted);
    const [liftRevoked] = partnerKeyUpcasters['partner_key.revoked'];
    expect(liftRevoked?.({ type: 'partner_key.revoked', at: later })).toEqual({ ...revoked, reason: null });
  });

  it('is revoked once', () => key.given(minted).when(revoke).thenOnce(revoked));
  it('cannot be revoked before it is minted', () => key.when(revoke).thenRefused('not_found'));
  it('never comes back', () => key.given(minted, revoked).when(mint).thenRefused('partner_key_invalid'));

  it('remembers what it is known by', () => {
    expect(key.given(minted).state).toEqual({ status: 'live', label: 'Acme', keyHash, feed: false, mintedAt: at });
    expect(key.given(minted, revoked).state).toMatchObject({ status: 'revoked', label: 'Acme', mintedAt: at });
    expect(key.given(minted, granted).state).toMatchObject({ status: 'live', feed: true });
    expect(key.given(revoked).state).toEqual({ status: 'absent' });
    expect(key.given(granted).state).toEqual({ status: 'absent' });
  });
});
