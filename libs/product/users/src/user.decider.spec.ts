import { instant, specification } from '@app/testing/deciders';
import { userDecider, type UserCommand } from './user.decider';
import type { UserEvent } from './user.events';

const at = instant('2026-03-01T10:00Z');
const identity = { issuer: 'https://login.example', subject: 'ada' };
const ensure: UserCommand = { type: 'EnsureUser', at, ...identity };
const disable: UserCommand = { type: 'DisableUser', at, reason: 'fraud review' };
const enable: UserCommand = { type: 'EnableUser', at, reason: 'cleared' };
const erase: UserCommand = { type: 'EraseUser', at };
const erased: UserEvent = { type: 'user.erased', at };
const provisioned: UserEvent = { type: 'user.provisioned', at, ...identity };
const disabled: UserEvent = { type: 'user.disabled', at, reason: 'fraud review' };
const enabled: UserEvent = { type: 'user.enabled', at, reason: 'cleared' };

describe('an account', () => {
  const account = specification(userDecider);

  it('is provisioned once', () => account.when(ensure).thenOnce(provisioned));
  it('is disabled once', () => account.given(provisioned).when(disable).thenOnce(disabled));
  it('is enabled once', () => account.given(provisioned, disabled).when(enable).thenOnce(enabled));
  it('can be disabled again', () => account.given(provisioned, disabled, enabled).when(disable).then(disabled));

  it('is not re-enabled by provisioning', () =>
    account.given(provisioned, disabled).when(ensure).thenRefused('account_disabled'));
  it('is there as before once it is enabled', () =>
    account.given(provisioned, disabled, enabled).when(ensure).thenNothing());

  it('is erased once', () => account.given(provisioned, disabled).when(erase).thenOnce(erased));
  it('is not provisioned, disabled or enabled any more once it is erased', () => {
    const gone = account.given(provisioned, disabled, erased);
    gone.when(ensure).thenRefused('account_disabled');
    gone.when(enable).thenRefused('account_disabled');
    gone.when(disable).thenNothing();
  });
  it('cannot be erased before it exists', () => account.when(erase).thenRefused('not_found'));

  it('has nothing to enable while it is active', () => account.given(provisioned).when(enable).thenNothing());
  it('cannot be disabled before it exists', () => account.when(disable).thenRefused('not_found'));
  it('cannot be enabled before it exists', () => account.when(enable).thenRefused('not_found'));
});
