import { evolveApproval, openedApproval, type ApprovalEvent, type ApprovalState } from '@app/consent';
import { notBegun, unreachable } from '@app/kernel';
import type { AutomationEvent, AutomationLifeEvent } from './automation.events';
import type { Automation, AutomationState, FiringMemory } from './automation.state';
import { evolveContractUse, isSameRule } from './contract-use.decider';
import { afterInput } from './occurrence/input.decider';
import { evolveOccurrence, evolveVerdict } from './occurrence/occurrence.decider';

type LifeEvent = Exclude<AutomationLifeEvent, { readonly type: 'automation.created' }>;

export function evolveAutomation(automation: AutomationState, event: AutomationEvent): Automation {
  if (event.type === 'automation.created') return createAutomation(event);
  if (automation === null) return notBegun(event);
  if ('occurrenceId' in event) return evolveOccurrence(automation, event);
  if ('toolCallId' in event && event.type !== 'approval.opened')
    return { ...automation, uses: evolveContractUse(automation.uses, event) };
  if (event.type === 'input.passed_over')
    return { ...automation, memory: afterInput(automation.memory, 'signal', event.inputPosition) };
  if (event.type === 'contract.superseded') return withoutAuthority(automation);
  if ('approvalId' in event)
    return { ...automation, contractApproval: evolveContractApproval(automation.contractApproval, event) };
  return evolveLife(automation, event);
}

function createAutomation({
  at,
  userId,
  definition,
  symbols,
  epoch,
}: Extract<AutomationEvent, { readonly type: 'automation.created' }>): Automation {
  return {
    userId,
    definition,
    symbols,
    definitionVersion: 1,
    epoch,
    epochAt: at,
    state: 'enabled',
    held: false,
    completed: false,
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
    webhookKeyId: null,
    occurrences: 0,
    active: [],
    memory: freshMemory(nothingHandled),
    contractApproval: null,
    uses: {},
  };
}

function evolveLife(automation: Automation, event: LifeEvent): Automation {
  const { at } = event;
  switch (event.type) {
    case 'automation.updated':
      return applyUpdate(automation, event);
    case 'automation.paused':
      return { ...automation, state: 'paused', updatedAt: at };
    case 'automation.resumed':
      return { ...automation, state: 'enabled', updatedAt: at, ...beginOccurrence(automation, event) };
    case 'automation.archived':
      return { ...automation, state: 'archived', updatedAt: at, archivedAt: at };
    case 'automation.held':
      return { ...automation, held: true };
    case 'automation.released':
      return { ...automation, held: false };
    case 'automation.completed':
      return { ...automation, completed: true };
    case 'automation.webhook_rotated':
      return { ...automation, webhookKeyId: event.keyId };
    case 'automation.evaluated':
      return { ...automation, memory: evolveVerdict(automation.memory, event) };
    default:
      return unreachable(event);
  }
}

function applyUpdate(
  automation: Automation,
  event: Extract<LifeEvent, { readonly type: 'automation.updated' }>,
): Automation {
  const { at, definition, symbols, definitionVersion } = event;
  // Older streams have no `contract.superseded`, so fold it here: no approval outlives the rule that was reviewed.
  const keeps = isSameRule(definition, automation.definition);
  return {
    // Older versions let an update reopen a finished automation; their events still fold that way.
    ...automation,
    definition,
    symbols,
    definitionVersion,
    updatedAt: at,
    completed: false,
    ...beginOccurrence(automation, event),
    ...(keeps ? {} : { contractApproval: null, uses: {} }),
  };
}

/** Keeps the approval, so that readers see which one it was, but as expired: it covers nothing. */
function withoutAuthority(automation: Automation): Automation {
  const { contractApproval } = automation;
  return { ...automation, contractApproval: contractApproval && { ...contractApproval, status: 'expired' }, uses: {} };
}

/** Begins an epoch; its memory keeps only the positions of handled inputs. */
function beginOccurrence(
  { memory }: Automation,
  { at, epoch }: Pick<Extract<LifeEvent, { readonly epoch: string }>, 'at' | 'epoch'>,
) {
  return { epoch, epochAt: at, memory: freshMemory(memory) };
}

type Handled = Pick<FiringMemory, 'lastInputPosition' | 'invokedPositions' | 'invokedUpTo'>;

const nothingHandled: Handled = { lastInputPosition: 0, invokedPositions: [], invokedUpTo: 0 };

function freshMemory({ lastInputPosition, invokedPositions, invokedUpTo }: Handled): FiringMemory {
  const handled = { lastInputPosition, invokedPositions, invokedUpTo };
  return { lastKnown: null, lastVerdict: null, lastAcceptedFor: null, lastDueAt: null, ...handled };
}

function evolveContractApproval(approval: ApprovalState | null, event: ApprovalEvent): ApprovalState | null {
  if (event.type === 'approval.opened') return openedApproval(event);
  return approval?.approvalId === event.approvalId ? evolveApproval(approval, event) : approval;
}
