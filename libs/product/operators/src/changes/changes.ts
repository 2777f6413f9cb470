import type { Command } from '@nestjs/cqrs';
import { HoldLog, ResumeLog } from '@app/audit';
import { HoldAutomation, ReleaseAutomation } from '@app/automations';
import { FreezeBudget, SetCaps, UnfreezeBudget } from '@app/budget';
import { controls, PauseControl, ResumeControl, type Control } from '@app/deployment';
import { asId } from '@app/kernel';
import type { AutomationId, Cause, ConversationId, EndpointId, PartnerKeyId, Result, RunId, UserId } from '@app/kernel';
import { RegisterPartnerKey, RevokePartnerKey } from '@app/partners';
import { RequestErasure } from '@app/privacy';
import { rebuildPaces, type RebuildPace } from '@app/read-store';
import { AbortRun, ReleaseRun } from '@app/runs';
import { DisableUser } from '@app/users';
import { DisableWallet, EnableWallet } from '@app/wallets';
import { DeleteEndpoint } from '@app/webhooks';
import { ChangeDeliveries } from './change-deliveries';
import { ChangeReadModel } from './change-read-model';
import { EnableAccount } from './enable-account';
import { changedEndpoint, createdEndpoint, rotatedEndpoint } from './endpoint-changes';
import { instantOfIntent, numberIn, textIn } from './intent-parameters';
import type { Intent } from '../operator-log/operator-log.events';

/** Makes the command of a change; executing the command again has no further effect. */
type Change = (intent: Intent, cause: Cause) => Command<Result<unknown>>;

/** The command of each change, made only from its log entry: the same each time that any process completes it. */
const changes = {
  'keys.mint': ({ at, target, parameters, reason }, cause) =>
    new RegisterPartnerKey({
      keyId: asId<PartnerKeyId>(target),
      keyHash: textIn(parameters, 'keyHash'),
      label: textIn(parameters, 'label'),
      // Entries from before the feed existed lack this parameter.
      feed: parameters['feed'] === true,
      at,
      reason,
      cause,
    }),
  'keys.revoke': ({ target, reason }, cause) =>
    new RevokePartnerKey({ keyId: asId<PartnerKeyId>(target), reason, cause }),
  'users.disable': (intent, cause) => new DisableUser(ofUser(intent, cause)),
  'users.enable': (intent, cause) => new EnableAccount(ofUser(intent, cause)),
  'users.freeze': (intent, cause) => new FreezeBudget(ofUser(intent, cause)),
  'users.unfreeze': (intent, cause) => new UnfreezeBudget(ofUser(intent, cause)),
  'users.setCaps': (intent, cause) => {
    const caps = {
      dayCents: numberIn(intent.parameters, 'dayCents'),
      monthCents: numberIn(intent.parameters, 'monthCents'),
    };
    return new SetCaps(ofUser(intent, cause), caps);
  },
  'users.disableWallet': (intent, cause) => new DisableWallet(ofUser(intent, cause)),
  'users.enableWallet': (intent, cause) => new EnableWallet(ofUser(intent, cause)),
  'users.erase': (intent, cause) => new RequestErasure(ofUser(intent, cause)),
  'runs.abort': ({ parameters }, cause) =>
    new AbortRun(asId<UserId>(textIn(parameters, 'userId')), asId<RunId>(textIn(parameters, 'runId')), cause, true),
  'runs.release': ({ parameters }) =>
    new ReleaseRun({
      conversationId: asId<ConversationId>(textIn(parameters, 'conversationId')),
      runId: asId<RunId>(textIn(parameters, 'runId')),
      segment: numberIn(parameters, 'segment'),
      attempt: numberIn(parameters, 'attempt'),
    }),
  'automations.hold': ({ target, reason }, cause) => new HoldAutomation(asId<AutomationId>(target), reason, cause),
  'automations.release': ({ target, reason }, cause) =>
    new ReleaseAutomation(asId<AutomationId>(target), reason, cause),
  'projections.rebuild': ({ target, parameters, reason }) => {
    const rebuildId = textIn(parameters, 'rebuildId');
    const pace = paceIn(parameters['pace']);
    return new ChangeReadModel({ kind: 'rebuild', projection: target, rebuildId, pace, reason });
  },
  'projections.skip': ({ target, parameters, reason }) => {
    const event = { stream: textIn(parameters, 'stream'), revision: numberIn(parameters, 'revision') };
    return new ChangeReadModel({ kind: 'skip', projection: target, ...event, reason });
  },
  'rebuilds.switch': ({ target, parameters }) => {
    const digest = parameters['digest'] === undefined ? null : textIn(parameters, 'digest');
    return new ChangeReadModel({ kind: 'switch', rebuildId: target, digest });
  },
  'rebuilds.rollback': ({ target }) => new ChangeReadModel({ kind: 'rollback', rebuildId: target }),
  'rebuilds.discard': ({ target }) => new ChangeReadModel({ kind: 'discard', rebuildId: target }),
  'webhooks.create': createdEndpoint,
  'webhooks.change': changedEndpoint,
  'webhooks.rotate': rotatedEndpoint,
  'webhooks.delete': ({ target, reason }, cause) => new DeleteEndpoint(asId<EndpointId>(target), reason, cause),
  'webhooks.test': ({ target, intentId }) =>
    new ChangeDeliveries(asId<EndpointId>(target), { kind: 'test', messageId: intentId }),
  'webhooks.retry': ({ target, parameters }) =>
    new ChangeDeliveries(asId<EndpointId>(target), { kind: 'retry', deliveryId: textIn(parameters, 'deliveryId') }),
  'webhooks.recover': ({ target, parameters }) => {
    const since = instantOfIntent(parameters, 'since');
    return new ChangeDeliveries(asId<EndpointId>(target), { kind: 'recover', since });
  },
  'controls.pause': ({ target, reason }, cause) => new PauseControl({ control: controlOf(target), reason, cause }),
  'controls.resume': ({ target, reason }, cause) => new ResumeControl({ control: controlOf(target), reason, cause }),
  'audit.resume': ({ parameters }) =>
    new ResumeLog({
      as: textIn(parameters, 'as') === 'copy' ? 'copy' : 'successor',
      hold: textIn(parameters, 'hold'),
      origin: textIn(parameters, 'origin'),
      above: numberIn(parameters, 'above'),
    }),
  'audit.hold': ({ intentId, at, reason }) =>
    new HoldLog({ id: intentId, why: 'asked', since: at, says: `an operator held it: ${reason}` }),
} satisfies Record<string, Change>;

export type ChangeName = keyof typeof changes;

/** Returns the command of an intent. Throws if this version does not know the operation. */
export function commandOf(intent: Intent, cause: Cause): Command<Result<unknown>> {
  const known: Readonly<Record<string, Change>> = changes;
  const change = known[intent.operation];
  if (change === undefined) throw new Error(`there is no change ${intent.operation}`);
  return change(intent, cause);
}

function ofUser({ target, reason }: Intent, cause: Cause) {
  return { userId: asId<UserId>(target), reason, cause };
}

/** Entries from before paces existed name none. */
function paceIn(named: unknown): RebuildPace {
  return rebuildPaces.find((pace) => pace === named) ?? 'gentle';
}

function controlOf(target: string): Control {
  const control = controls.find((name) => name === target);
  if (control === undefined) throw new Error(`there is no control ${target}`);
  return control;
}
