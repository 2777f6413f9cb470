import { asId, type IdentityId, type UserId } from '@app/kernel';
import { keysDestroyed } from '@app/read-store';
import { Identities } from './identities';

const userId = asId<UserId>('5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11');
const other = asId<UserId>('5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e12');
const identity = { id: asId<IdentityId>('0f'.repeat(32)), issuer: 'https://id.example', subject: 'ada' };

/** Identities over stubs; `meanwhile` runs while a stream is read. */
function identities(meanwhile: (notify: (userId: UserId) => void) => void) {
  const listeners: ((payload: string) => void)[] = [];
  const notify = (id: UserId) => listeners.forEach((listen) => listen(id));
  const fresh = () => {
    meanwhile(notify);
    return Promise.resolve({ state: { status: 'opened', userId }, revision: 0 });
  };
  const on = (channel: string, listen: (payload: string) => void) => {
    if (channel === keysDestroyed) listeners.push(listen);
  };
  const parts = [{}, { fresh }, {}, {}, {}, {}, { on, onReconnected: () => undefined }];
  // Reason for the assertion: these are all the methods that it calls.
  return new Identities(...(parts as unknown as ConstructorParameters<typeof Identities>));
}

it.each(['find', 'open'] as const)('remembers the user that it read: %s', async (method) => {
  const known = identities(() => undefined);
  await known[method](identity);
  expect(known.peek(identity.id)).toBe(userId);
});

it.each(['find', 'open'] as const)('remembers no user whose keys are destroyed while it reads: %s', async (method) => {
  const known = identities((notify) => notify(userId));
  await known[method](identity);
  expect(known.peek(identity.id)).toBeUndefined();
});

it('remembers the user again that it reads later', async () => {
  let erased = 0;
  const known = identities((notify) => (erased++ === 0 ? notify(other) : undefined));
  await known.find(identity);
  await known.find(identity);
  expect(known.peek(identity.id)).toBe(userId);
});
