import { asId, type UserId, type WalletId } from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { unusable, walletDecider, type WalletCommand } from './wallet.decider';
import type { WalletEvent } from './wallet.events';

const at = instant('2026-03-01T10:00Z');
const identity = {
  userId: asId<UserId>('0b7a3b7e-0000-5000-8000-000000000001'),
  walletId: asId<WalletId>('0b7a3b7e-0000-7000-8000-000000000002'),
  address: 'ab'.repeat(32),
  provider: 'sandbox' as const,
};
const ensure = (mainAccountId: string | null = null) => ({
  type: 'EnsureWallet' as const,
  at,
  ...identity,
  mainAccountId,
});
const connect: WalletCommand = { type: 'RecordSession', at };
const lose: WalletCommand = { type: 'RecordRejection', at };
const disable: WalletCommand = { type: 'DisableWallet', at, reason: 'stolen phone' };
const enable: WalletCommand = { type: 'EnableWallet', at, reason: 'cleared' };

const created: WalletEvent = { type: 'wallet.created', at, ...identity };
const named = (mainAccountId: string): WalletEvent => ({ type: 'wallet.main_account_set', at, mainAccountId });
const connected: WalletEvent = { type: 'wallet.connected', at };
const rejected: WalletEvent = { type: 'wallet.session_rejected', at };
const disabled: WalletEvent = { type: 'wallet.disabled', at, reason: 'stolen phone' };
const enabled: WalletEvent = { type: 'wallet.enabled', at, reason: 'cleared' };

const wallet = specification(walletDecider);

describe('a wallet', () => {
  it('is created once', () => wallet.when(ensure()).thenOnce(created));
  it('keeps its ids when another ensure races', () =>
    wallet
      .given(created)
      .when({ ...ensure(), walletId: asId<WalletId>('other'), address: 'cd'.repeat(32) })
      .thenNothing());
  it('knows where its owner withdraws to from the beginning', () =>
    wallet.when(ensure('ada.near')).thenOnce(created, named('ada.near')));
  it('learns it later', () => wallet.given(created).when(ensure('ada.near')).thenOnce(named('ada.near')));
  it('follows the owner to another account', () =>
    wallet.given(created, named('ada.near')).when(ensure('eve.near')).thenOnce(named('eve.near')));
  it('keeps the account when a token names none', () =>
    wallet.given(created, named('ada.near')).when(ensure(null)).thenNothing());

  it('is connected once', () => wallet.given(created).when(connect).thenOnce(connected));
  it('loses its session once', () => wallet.given(created, connected).when(lose).thenOnce(rejected));
  it('has no session to lose while it is pending', () => wallet.given(created).when(lose).thenNothing());
  it('is connected again', () => wallet.given(created, connected, rejected).when(connect).thenOnce(connected));

  it('is disabled once', () => wallet.given(created, connected).when(disable).thenOnce(disabled));
  it('is enabled once', () => wallet.given(created, disabled).when(enable).thenOnce(enabled));
  it('has nothing to enable while it is active', () => wallet.given(created).when(enable).thenNothing());
  it('stays disabled when it is ensured', () => wallet.given(created, disabled).when(ensure()).thenNothing());

  it.each([connect, lose, disable, enable])('must exist before $type', (command) =>
    wallet.when(command).thenRefused('not_found'),
  );
});

describe('why no money may move', () => {
  const why = (...events: WalletEvent[]) => {
    const { state } = wallet.given(created, ...events);
    return state && unusable(state);
  };
  it('is the session that is missing', () => expect([why(), why(connected)]).toEqual(['authorization_required', null]));
  it('is the session that was rejected', () => expect(why(connected, rejected)).toBe('authorization_required'));
  it('is an operator first, until that one says otherwise', () => {
    expect(why(connected, rejected, disabled)).toBe('wallet_disabled');
    expect(why(connected, disabled, enabled)).toBeNull();
  });
});
