import { asId, erased, type UserId } from '@app/kernel';
import { instant, specification } from '@app/testing/deciders';
import { identityDecider, type IdentityCommand } from './identity.decider';
import type { IdentityEvent } from './identity.events';

const at = instant('2026-03-01T10:00Z');
const [ada, eve] = [
  asId<UserId>('8f9f62e4-6f0c-4d3c-9a55-3a1f0a9c1d01'),
  asId<UserId>('8f9f62e4-6f0c-4d3c-9a55-3a1f0a9c1d02'),
];
const open = (userId: UserId): IdentityCommand => ({ type: 'OpenIdentity', at, userId });
const erase: IdentityCommand = { type: 'EraseIdentity', at };
const opened: IdentityEvent = { type: 'identity.opened', at, userId: ada };
const gone: IdentityEvent = { type: 'identity.erased', at };

describe('an identity', () => {
  const identity = specification(identityDecider);

  it('is opened once', () => identity.when(open(ada)).thenOnce(opened));
  it('stays the user that it was opened with', () => identity.given(opened).when(open(eve)).thenNothing());
  it('is erased once', () => identity.given(opened).when(erase).thenOnce(gone));
  it('can be erased before it was opened', () => identity.when(erase).thenOnce(gone));
  it('is never opened again after that', () =>
    identity.given(opened, gone).when(open(eve)).thenRefused('account_disabled'));
  it('is erased once its key is gone', () =>
    identity
      .given({ ...opened, userId: erased })
      .when(erase)
      .thenOnce(gone));
  it('is not opened again once its key is gone', () =>
    identity
      .given({ ...opened, userId: erased })
      .when(open(eve))
      .thenRefused('account_disabled'));
});
