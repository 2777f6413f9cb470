import { decideApproval, endApproval, expireApproval } from '@app/consent';
import { accept, because, notFound, reject, unreachable, words } from '@app/kernel';
import type { Decider, Decision, Instant, JsonValue, UserId } from '@app/kernel';
import { decideAdmission } from './occurrence/admission.decider';
import type { AutomationDefinition } from '../definition/automation-definition';
import type { AutomationCommand, ContractReview, CreateAutomation, UpdateAutomation } from './automation.commands';
import type { AutomationEvent } from './automation.events';
import { evolveAutomation } from './automation-folding';
import { revisionOf, type Automation, type AutomationState } from './automation.state';
import { decideContractUse, isSameRule } from './contract-use.decider';
import { hasEnded, limitReached } from './occurrence/firing-policy';
import { passOver } from './occurrence/input.decider';
import { cancelWaiting, recordMatch } from './occurrence/occurrence.decider';

/** The rules of one automation (docs/decisions/automations.md): its life here; occurrences and contract uses in files of their own. */
export const automationDecider: Decider<AutomationState, AutomationCommand, AutomationEvent> = {
  initialState: null,

  decide: (command, state) => {
    if (command.type === 'CreateAutomation') return create(command, state);
    if (state === null) return reject(notFound);
    if (command.type === 'RecordMatch') return recordMatch(command, state);
    if (command.type === 'PassOverInput') return passOver(command, state);
    if ('occurrenceId' in command) return decideAdmission(command, state);
    if ('toolCallId' in command) return decideContractUse(command, state);
    if ('userId' in command) return state.userId === command.userId ? decideOfOwner(command, state) : reject(notFound);
    return decideOfService(command, state);
  },

  evolve: evolveAutomation,
};

type OfOwner = Exclude<Extract<AutomationCommand, { readonly userId: UserId }>, CreateAutomation>;
type OfService = Extract<
  AutomationCommand,
  {
    readonly type: 'HoldAutomation' | 'ReleaseAutomation' | 'CompleteAutomation' | 'DecideApproval' | 'ExpireApproval';
  }
>;

/** Creation is idempotent: a repeated creation changes nothing. */
function create(
  { at, userId, definition, symbols, epoch, review }: CreateAutomation,
  state: AutomationState,
): Decision<AutomationEvent> {
  if (state !== null) return state.userId === userId ? accept() : reject(notFound);
  return accept<AutomationEvent>(
    { type: 'automation.created', at, userId, definition, symbols, definitionVersion: 1, epoch },
    ...openContractApproval(at, userId, definition, review),
  );
}

function decideOfOwner(command: OfOwner, automation: Automation): Decision<AutomationEvent> {
  const { at } = command;
  if (command.type === 'ArchiveAutomation') return archive(at, automation);
  if (command.type === 'RotateWebhookKey') return rotate(command, automation);
  if (hasEnded(automation, at)) return reject(because('automation_completed'));
  if (command.revision !== revisionOf(automation)) return reject(because('automation_changed'));
  switch (command.type) {
    case 'UpdateAutomation':
      return update(command, automation);
    case 'PauseAutomation':
      if (automation.state === 'paused') return accept();
      return accept<AutomationEvent>(
        { type: 'automation.paused', at },
        ...cancelWaiting(at, automation, words`The automation was paused.`),
      );
    case 'ResumeAutomation':
      return automation.state === 'enabled'
        ? accept()
        : accept<AutomationEvent>({ type: 'automation.resumed', at, epoch: command.epoch });
    default:
      return unreachable(command);
  }
}

/** Archives for good; a repeated call changes nothing. */
function archive(at: Instant, automation: Automation): Decision<AutomationEvent> {
  if (automation.state === 'archived') return accept();
  return accept<AutomationEvent>(
    { type: 'automation.archived', at },
    ...supersedeContract(at, automation),
    ...cancelWaiting(at, automation, words`The automation was archived.`),
  );
}

function rotate(
  { at, revision, keyId }: Extract<OfOwner, { readonly type: 'RotateWebhookKey' }>,
  automation: Automation,
): Decision<AutomationEvent> {
  const { state, definition, webhookKeyId } = automation;
  if (revision !== revisionOf(automation)) return reject(because('automation_changed'));
  if (state !== 'enabled' || definition.wake.kind !== 'event') return reject(because('automation_changed'));
  return keyId === webhookKeyId ? accept() : accept({ type: 'automation.webhook_rotated', at, keyId });
}

/** An approved contract stays valid while only the name changes. Any other change asks again, and uses start from zero. */
function update(
  { at, userId, definition, symbols, epoch, review }: UpdateAutomation,
  automation: Automation,
): Decision<AutomationEvent> {
  const isAsked = definition.contract === undefined || automation.contractApproval !== null;
  const keeps = isAsked && isSameRule(definition, automation.definition);
  const limit = limitReached(definition.firing, automation.occurrences, at);
  const definitionVersion = automation.definitionVersion + 1;
  return accept<AutomationEvent>(
    ...(keeps ? [] : supersedeContract(at, automation)),
    { type: 'automation.updated', at, definition, symbols, definitionVersion, epoch },
    ...(keeps ? [] : openContractApproval(at, userId, definition, review)),
    ...cancelWaiting(at, automation, words`The automation was changed.`),
    ...(limit === null ? [] : [{ type: 'automation.completed', at, because: limit } as const]),
  );
}

/** Supersedes the pending approval, or the approved contract. */
function supersedeContract(at: Instant, { contractApproval }: Automation): AutomationEvent[] {
  if (contractApproval?.status === 'pending') return [endApproval(at, contractApproval, 'superseded')];
  if (contractApproval?.status !== 'approved') return [];
  return [{ type: 'contract.superseded', at, approvalId: contractApproval.approvalId }];
}

function openContractApproval(
  at: Instant,
  userId: UserId,
  definition: AutomationDefinition,
  review: ContractReview | null,
): AutomationEvent[] {
  const { contract } = definition;
  if (contract === undefined || review === null) return [];
  const { approvalId, automationId, walletId, fingerprint, fingerprintVersion, expiresAt, summary, terms } = review;
  return [
    {
      type: 'approval.opened',
      at,
      approvalId,
      kind: 'automation_contract',
      tool: 'automation_contract',
      fingerprint,
      fingerprintVersion,
      runId: null,
      expiresAt,
      userId,
      runKey: null,
      walletId,
      toolCallId: null,
      automationId,
      // Reason for the assertion: a definition is read from JSON and holds nothing else; interfaces cannot say so.
      input: definition as unknown as JsonValue,
      contract,
      summary,
      terms,
    },
  ];
}

function decideOfService(command: OfService, automation: Automation): Decision<AutomationEvent> {
  const { at } = command;
  switch (command.type) {
    case 'HoldAutomation':
      if (automation.held || automation.state === 'archived') return accept();
      return accept({ type: 'automation.held', at, reason: command.reason });
    case 'ReleaseAutomation':
      return automation.held ? accept({ type: 'automation.released', at, reason: command.reason }) : accept();
    case 'CompleteAutomation': {
      const { epoch, because: cause } = command;
      const isOver = automation.completed || automation.state === 'archived' || epoch !== automation.epoch;
      return isOver ? accept() : accept({ type: 'automation.completed', at, because: cause });
    }
    case 'DecideApproval':
      return decideApproval(command, contractApprovalOf(automation, command));
    case 'ExpireApproval':
      return expireApproval(command, contractApprovalOf(automation, command));
    default:
      return unreachable(command);
  }
}

function contractApprovalOf({ contractApproval }: Automation, { approvalId }: Pick<ContractReview, 'approvalId'>) {
  return contractApproval?.approvalId === approvalId ? contractApproval : undefined;
}
