import { instant } from '@app/testing/deciders';
import type { JsonObject } from '@app/kernel';
import { isBrake, waitedFor } from './order-of-changes';
import type { Intent } from '../operator-log/operator-log.events';

let made = 0;
const change = (operation: string, parameters: JsonObject = {}, target = 'one'): Intent => ({
  intentId: `intent-${made++}`,
  at: instant('2026-03-01T10:00Z'),
  operator: 'ada',
  requestId: 'request',
  operation,
  target,
  parameters,
  reason: 'incident',
});
const waits = (later: Intent, ...earlier: readonly Intent[]) => waitedFor([...earlier, later], later);

describe('the order of changes of one target', () => {
  it('is that of the log, for all that are no brakes', () => {
    const [first, other, second] = [
      change('controls.pause'),
      change('controls.resume', {}, 'two'),
      change('controls.resume'),
    ];
    expect(waitedFor([first, other, second], first)).toEqual([]);
    expect(waitedFor([first, other, second], second)).toEqual([first]);
    expect(waitedFor([first, other, second], change('controls.resume'))).toEqual([]);
  });

  it.each([
    ['users.freeze', 'users.enable'],
    ['users.freeze', 'users.setCaps'],
    ['users.disable', 'users.unfreeze'],
    ['users.disableWallet', 'users.disable'],
    ['runs.abort', 'runs.release'],
    ['controls.pause', 'controls.pause'],
    ['webhooks.delete', 'webhooks.recover'],
    ['webhooks.delete', 'webhooks.change'],
  ])('lets %s overtake %s', (brake, earlier) => {
    expect(isBrake(change(brake))).toBe(true);
    expect(waits(change(brake), change(earlier))).toEqual([]);
    expect(waits(change(earlier), change(brake))).toHaveLength(earlier === brake || isBrake(change(earlier)) ? 0 : 1);
  });

  it.each([
    ['controls.pause', 'controls.resume'],
    ['users.freeze', 'users.unfreeze'],
    ['users.disable', 'users.enable'],
    ['users.disableWallet', 'users.enableWallet'],
    ['automations.hold', 'automations.release'],
    ['keys.revoke', 'keys.mint'],
    ['audit.hold', 'audit.resume'],
    ['webhooks.delete', 'webhooks.create'],
    ['users.freeze', 'users.newer'],
  ])('has %s wait for %s, since the order decides', (brake, earlier) => {
    const before = change(earlier);
    expect(waits(change(brake), before)).toEqual([before]);
  });

  it('is kept apart for a switch and a read model of the same name', () => {
    expect(waits(change('controls.pause', {}, 'runs'), change('projections.skip', {}, 'runs'))).toEqual([]);
    const rebuild = change('projections.rebuild', {}, 'runs');
    expect(waits(change('projections.skip', {}, 'runs'), rebuild)).toEqual([rebuild]);
  });

  it('lets an endpoint be paused while it is deleted or set otherwise, but not before it is enabled', () => {
    const pause = change('webhooks.change', { enabled: false });
    expect(isBrake(pause)).toBe(true);
    const url = { url: 'https://receiver.example' };
    expect(waits(pause, change('webhooks.delete'), change('webhooks.change', url))).toEqual([]);
    for (const before of [change('webhooks.change', { enabled: true }), change('webhooks.create')])
      expect(waits(pause, before)).toEqual([before]);
    const both = change('webhooks.change', { enabled: false, ...url });
    expect(isBrake(both)).toBe(false);
    expect(waits(both, change('webhooks.delete'))).toHaveLength(1);
  });
});
