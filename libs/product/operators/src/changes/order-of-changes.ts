import type { ChangeName } from './changes';
import type { Intent } from '../operator-log/operator-log.events';

type Overtaken = readonly ChangeName[];

const ofUsers: Overtaken = [
  'users.disable',
  'users.enable',
  'users.freeze',
  'users.unfreeze',
  'users.setCaps',
  'users.disableWallet',
  'users.enableWallet',
  'users.erase',
];
const allOf = (names: Overtaken, except: ChangeName): Overtaken => names.filter((name) => name !== except);

/** Changes of an endpoint that its end, or its pause, makes pointless or leaves as they are. */
const ofEndpoints: Overtaken = [
  'webhooks.rotate',
  'webhooks.delete',
  'webhooks.test',
  'webhooks.retry',
  'webhooks.recover',
];

/**
 * Changes that make the product do less, each with the changes of the same target that it need not wait for, because both orders have the
 * same result: they write another stream or another member, repeat the brake, or have no effect after it. Not listed, and waited for, are
 * the opposite of a brake (the later of the two must win), the creation of what it stops, and changes that this version does not know.
 */
const brakes: Partial<Record<ChangeName, Overtaken>> = {
  'controls.pause': ['controls.pause'],
  'keys.revoke': ['keys.revoke'],
  'users.disable': allOf(ofUsers, 'users.enable'),
  'users.freeze': allOf(ofUsers, 'users.unfreeze'),
  'users.disableWallet': allOf(ofUsers, 'users.enableWallet'),
  'users.erase': ofUsers,
  'runs.abort': ['runs.abort', 'runs.release'],
  'automations.hold': ['automations.hold'],
  'audit.hold': ['audit.hold'],
  'webhooks.delete': [...ofEndpoints, 'webhooks.change'],
};

/** Whether a change makes the product do less. */
export function isBrake(intent: Intent): boolean {
  return isPauseOfEndpoint(intent) || overtakenBy(intent.operation) !== undefined;
}

/** The pending changes, logged before this one, that must be completed before it is made, in order. */
export function waitedFor(pending: readonly Intent[], intent: Intent): readonly Intent[] {
  const place = pending.findIndex(({ intentId }) => intentId === intent.intentId);
  return pending.slice(0, Math.max(place, 0)).filter((earlier) => {
    return isOfOneTarget(earlier, intent) && !mayOvertake(intent, earlier);
  });
}

/** Whether two changes have the same target; a switch of the deployment may have the name of a read model, as `runs` has. */
function isOfOneTarget(one: Intent, other: Intent): boolean {
  const isSwitch = ({ operation }: Intent) => operation.startsWith('controls.');
  return one.target === other.target && isSwitch(one) === isSwitch(other);
}

function mayOvertake(later: Intent, earlier: Intent): boolean {
  const overtaken: readonly string[] = isPauseOfEndpoint(later) ? ofEndpoints : (overtakenBy(later.operation) ?? []);
  // A pause of an endpoint and other settings are stored apart; only what enables the endpoint is its opposite.
  const isOtherSetting = earlier.operation === 'webhooks.change' && earlier.parameters['enabled'] !== true;
  return overtaken.includes(earlier.operation) || (isPauseOfEndpoint(later) && isOtherSetting);
}

function overtakenBy(operation: string): Overtaken | undefined {
  const known: Readonly<Record<string, Overtaken | undefined>> = brakes;
  return known[operation];
}

/** A change of an endpoint that disables it and changes nothing else. */
function isPauseOfEndpoint({ operation, parameters }: Intent): boolean {
  return operation === 'webhooks.change' && parameters['enabled'] === false && Object.keys(parameters).length === 1;
}
