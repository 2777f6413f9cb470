import { Unavailable } from '@app/kernel';
import { at, expiresAt, failure, operationId, reference } from '../../test/operation-facts';
import { ScriptedWorld } from '../../test/scripted-world';
import { driveOperation } from './drive-operation';
import { SessionRejected } from '../provider/wallet-provider';

const key = (index: number) => `${operationId}/${index}/1`;
const waiting = { do: 'wait', until: null };
let world: ScriptedWorld;
beforeEach(() => (world = new ScriptedWorld()));

it('plans, journals, sends, and waits to be told; then asks, and goes on with the next action', async () => {
  expect(await driveOperation(world, true)).toMatchObject({ ...waiting, progressed: true });
  expect(world.types).toEqual(['submission.journaled', 'submission.accepted']);
  expect(world.provider.calls).toEqual([`plan ${key(0)}`, `submit ${key(0)}`]);
  expect(world.probe.passed).toEqual(['before', 'after', 'before', 'after'].map((side) => `provider:${side}`));
  expect(await driveOperation(world, true)).toMatchObject(waiting);
  expect(world.types.slice(2)).toEqual(['action.settled', 'submission.journaled', 'submission.accepted']);
  expect(await driveOperation(world, true)).toEqual({ do: 'over' });
  expect(world.types.slice(5)).toEqual(['action.settled', 'operation.settled']);
  expect(await driveOperation(world, true)).toEqual({ do: 'over' });
});

it('does nothing for what nobody has used', async () => {
  world.events.length = 0;
  expect(await driveOperation(world, true)).toEqual({ do: 'not_begun' });
});

it('plans nothing for a wallet that was disabled, and sends nothing that was journaled', async () => {
  world.status = 'disabled';
  expect(await driveOperation(world, true)).toMatchObject({ ...waiting, noLaterThan: expiresAt, progressed: false });
  expect(world.provider.calls).toEqual([]);
  world.status = 'active';
  world.provider.submits = () => {
    throw new Unavailable('wallet provider');
  };
  await driveOperation(world, true);
  world.status = 'disabled';
  world.provider.settles = () => ({ kind: 'never_accepted', isFinal: false });
  await driveOperation(world, true);
  expect(world.provider.calls).toEqual([`plan ${key(0)}`, `submit ${key(0)}`, `ask ${key(0)}`]);
});

it('fails for an output of other decimals than agreed', async () => {
  world.provider.decimals = 6;
  expect(await driveOperation(world, true)).toEqual({ do: 'over' });
  expect(world.events.at(-1)).toMatchObject({ type: 'operation.failed', failure: { reason: 'provider_rejected' } });
});

it('waits for money that others are taking as long as it is patient, and then fails', async () => {
  world.free = [];
  expect(await driveOperation(world, true)).toMatchObject({ ...waiting, progressed: false });
  expect(await driveOperation(world, false)).toEqual({ do: 'over' });
  expect(world.events.at(-1)).toMatchObject({ failure: { reason: 'insufficient_balance' } });
});

it('fails at once for money that is not there', async () => {
  world.free = world.provider.held = [];
  expect(await driveOperation(world, true)).toEqual({ do: 'over' });
  expect(world.events.at(-1)).toMatchObject({ failure: { reason: 'insufficient_balance' } });
});

it('fails with what the provider rejects it for', async () => {
  world.provider.submits = () => ({ kind: 'rejected', failure });
  expect(await driveOperation(world, true)).toEqual({ do: 'over' });
  expect(world.events.at(-1)).toEqual({ type: 'operation.failed', at, failure });
});

it('waits for the last word on what the provider refused, and sends and signs nothing meanwhile', async () => {
  world.provider.submits = () => ({ kind: 'refused', failure });
  world.provider.settles = () => ({ kind: 'never_accepted', isFinal: false });
  expect(await driveOperation(world, true)).toMatchObject({ ...waiting, progressed: true });
  expect(await driveOperation(world, true)).toMatchObject({ ...waiting, progressed: false });
  expect(world.types).toEqual(['submission.journaled', 'submission.refused']);
  expect(world.provider.calls).toEqual([`plan ${key(0)}`, `submit ${key(0)}`, `ask ${key(0)}`]);
  world.provider.settles = () => ({ kind: 'never_accepted', isFinal: true });
  expect(await driveOperation(world, true)).toEqual({ do: 'over' });
  expect(world.events.at(-1)).toEqual({ type: 'operation.failed', at, failure });
});

describe('what the provider refused, and can revoke', () => {
  const revocation = { key: key(0), bytes: 'nothing' };
  let revokes: () => Promise<void>;
  beforeEach(async () => {
    revokes = async () => undefined;
    world.provider.submits = () => ({ kind: 'refused', failure });
    world.provider.settles = () => ({ kind: 'never_accepted', isFinal: false });
    world.provider.revocations = {
      plan: async () => revocation,
      send: async () => {
        world.provider.calls.push('revoke');
        return revokes();
      },
    };
    await driveOperation(world, true);
  });

  it('is revoked once its refusal was journaled; then it ends for the refusal', async () => {
    await driveOperation(world, true);
    expect(world.types).toEqual(['submission.journaled', 'submission.refused', 'revocation.journaled']);
    expect(world.provider.calls.slice(-2)).toEqual([`ask ${key(0)}`, 'revoke']);
    world.provider.settles = () => ({ kind: 'never_accepted', isFinal: true });
    expect(await driveOperation(world, true)).toEqual({ do: 'over' });
    expect(world.events.at(-1)).toEqual({ type: 'operation.failed', at, failure });
  });

  it('is asked about together with its revocation, which is sent again', async () => {
    revokes = () => Promise.reject(new Unavailable('wallet provider'));
    await driveOperation(world, true);
    await driveOperation(world, true);
    expect(world.provider.revocationAsked).toEqual(revocation);
    expect(world.types.at(-1)).toBe('revocation.journaled');
    expect(world.provider.calls.filter((call) => call === 'revoke')).toHaveLength(2);
  });

  it('is not settled by the word of a provider that another worker’s revocation made say so meanwhile', async () => {
    world.provider.settles = () => {
      const isRevoked = world.types.includes('revocation.journaled');
      if (!isRevoked) world.events.push({ type: 'revocation.journaled', at, index: 0, revocation });
      // The nonce is used by the revocation; only a caller that knows of the revocation can know that.
      return world.provider.revocationAsked === null
        ? { kind: 'settled', providerReference: reference, output: null, returned: null }
        : { kind: 'never_accepted', isFinal: true };
    };
    await driveOperation(world, true);
    expect(world.events.at(-1)).toEqual({ type: 'operation.failed', at, failure });
    expect(world.types).not.toContain('action.settled');
  });

  it('is left to its deadline where the provider does not revoke it', async () => {
    world.provider.revocations = { plan: async () => null, send: () => Promise.reject(new Error('never asked')) };
    expect(await driveOperation(world, true)).toMatchObject(waiting);
    expect(world.types).toEqual(['submission.journaled', 'submission.refused']);
  });
});

it('settles what was refused and then executed all the same', async () => {
  world.provider.submits = () => ({ kind: 'refused', failure });
  await driveOperation(world, true);
  await driveOperation(world, true);
  expect(world.types.slice(0, 4)).toEqual([
    'submission.journaled',
    'submission.refused',
    'submission.accepted',
    'action.settled',
  ]);
});

it('waits for the owner when the session is rejected', async () => {
  world.provider.submits = () => {
    throw new SessionRejected();
  };
  expect(await driveOperation(world, true)).toMatchObject({ ...waiting, progressed: true });
  expect(world.rejections).toBe(1);
});

it('asks when the answer did not come, and sends the same again only if it never was taken', async () => {
  let sent = 0;
  world.provider.submits = () => {
    sent += 1;
    if (sent === 1) throw new Unavailable('wallet provider');
    return { kind: 'accepted', providerReference: reference, checkAt: null };
  };
  await driveOperation(world, true);
  world.provider.settles = () => ({ kind: 'never_accepted', isFinal: false });
  await driveOperation(world, true);
  expect(world.provider.calls).toEqual([
    `plan ${key(0)}`,
    ...['submit', 'ask', 'submit'].map((call) => `${call} ${key(0)}`),
  ]);
  expect(world.types).toEqual(['submission.journaled', 'submission.accepted']);
});

it('says that it cannot be told, once, and sends nothing any more', async () => {
  world.provider.settles = () => ({ kind: 'unknown' });
  await driveOperation(world, true);
  await driveOperation(world, true);
  await driveOperation(world, true);
  expect(world.types).toEqual(['submission.journaled', 'submission.accepted', 'operation.unresolved']);
  expect(world.provider.calls).toEqual([`plan ${key(0)}`, `submit ${key(0)}`, `ask ${key(0)}`, `ask ${key(0)}`]);
});

it('leaves a store that is away to its caller', async () => {
  world.record = () => Promise.reject(new Unavailable('event store'));
  await expect(driveOperation(world, true)).rejects.toMatchObject({ dependency: 'event store' });
});
