import { usesPerOccurrenceOf, type Contract } from '@app/consent';
import { accept, add, because, compareDecimals, decimalOf, parseDecimal, reject, unreachable } from '@app/kernel';
import type { Decimal, Decision, OccurrenceId, ToolCallId } from '@app/kernel';
import type { StoredDefinition } from '../definition/automation-definition';
import type { AutomationCommand, HoldContractUse, UseContract } from './automation.commands';
import type { ContractUseEvent } from './automation.events';
import type { Automation, ContractUse } from './automation.state';

type Command = UseContract | OfUse;
type OfUse = Extract<
  AutomationCommand,
  { readonly type: 'HoldContractUse' | 'SettleContractUse' | 'ReturnContractUse' }
>;
type Bounds = NonNullable<Contract['bounds']>;

/**
 * Counts and sums uses of the approved contract before money moves (docs/decisions/automations.md). A tool call uses it
 * once, however often it asks; an amount beyond the expected one is counted before it moves; after the end, the amount
 * that moved counts. Rejects with `withdrawal_changed` where the contract does not cover the use now, and a hold with
 * `automation_held` while the automation is paused.
 */
export function decideContractUse(command: Command, automation: Automation): Decision<ContractUseEvent> {
  const { at, toolCallId } = command;
  const use = Object.hasOwn(automation.uses, toolCallId) ? automation.uses[toolCallId] : undefined;
  if (command.type !== 'UseContract') return decideUsed(command, use, automation);
  if (use !== undefined) return accept();
  const occurrence = coveredOccurrence(command, automation);
  if (occurrence === null) return reject(because('withdrawal_changed'));
  const { approvalId, usd } = command;
  return accept({ type: 'contract.used', at, toolCallId, approvalId, usd, occurrence });
}

function decideUsed(command: OfUse, use: ContractUse | undefined, automation: Automation): Decision<ContractUseEvent> {
  const { at, toolCallId } = command;
  switch (command.type) {
    case 'HoldContractUse':
      return use === undefined || use.over ? reject(because('withdrawal_changed')) : hold(command, use, automation);
    case 'SettleContractUse':
      if (use === undefined || use.over) return accept();
      return accept({ type: 'contract.use_settled', at, toolCallId, usd: command.usd ?? use.usd });
    case 'ReturnContractUse':
      return use === undefined || use.over ? accept() : accept({ type: 'contract.use_returned', at, toolCallId });
    default:
      return unreachable(command);
  }
}

/** Never lowers a use's amount, because another driver of its operation may be about to move it. */
function hold(
  { at, toolCallId, usd }: HoldContractUse,
  use: ContractUse,
  { state, definition, contractApproval, uses }: Automation,
): Decision<ContractUseEvent> {
  const bounds = definition.contract?.bounds;
  // The only temporary refusal: the operation waits for the automation to be resumed.
  if (state === 'paused') return reject(because('automation_held'));
  const isInForce = state === 'enabled' && contractApproval?.status === 'approved';
  if (!isInForce || bounds === undefined || at >= bounds.notAfter) return reject(because('withdrawal_changed'));
  const others = Object.entries(uses).flatMap(([id, other]) => (id === toolCallId ? [] : [other]));
  if (!isWithin(usd, bounds, others)) return reject(because('withdrawal_changed'));
  const [asked, counted] = [parseDecimal(usd), parseDecimal(use.usd)];
  const isCounted = asked !== null && counted !== null && compareDecimals(asked, counted) <= 0;
  return isCounted ? accept() : accept({ type: 'contract.use_raised', at, toolCallId, usd });
}

/**
 * The occurrence that the call belongs to; null where the contract does not cover the call. Its run must have been
 * started by the reviewed rule: a run of an earlier rule is not covered.
 */
function coveredOccurrence(
  command: UseContract,
  { state, definition, contractApproval, uses, active }: Automation,
): OccurrenceId | null {
  const { at, usd, runId, contractApprovalId } = command;
  const bounds = definition.contract?.bounds;
  if (state !== 'enabled' || bounds === undefined || contractApproval?.status !== 'approved') return null;
  if (contractApproval.approvalId !== contractApprovalId) return null;
  const occurrence = active.find((one) => one.runId === runId);
  if (occurrence?.contractApprovalId !== contractApprovalId) return null;
  const { occurrenceId } = occurrence;
  const others = Object.values(uses);
  const ofOccurrence = others.filter((use) => use.occurrence === occurrenceId).length;
  const hasRoom = ofOccurrence < usesPerOccurrenceOf(bounds) && isWithin(usd, bounds, others);
  return at < bounds.notAfter && hasRoom ? occurrenceId : null;
}

/** Whether one more use of this amount keeps the bounds. A text that is not a decimal is never within bounds. */
function isWithin(usd: string, { maxUses, perUseUsd, totalUsd }: Bounds, uses: readonly ContractUse[]): boolean {
  const asked = parseDecimal(usd);
  const [perUse, total] = [parseDecimal(perUseUsd), parseDecimal(totalUsd)];
  const sum = sumOf([usd, ...uses.map((use) => use.usd)]);
  if (asked === null || perUse === null || total === null || sum === null) return false;
  return uses.length < maxUses && compareDecimals(asked, perUse) <= 0 && compareDecimals(sum, total) <= 0;
}

/** The exact sum; null where a part is not a decimal. */
function sumOf(amounts: readonly string[]): Decimal | null {
  return amounts.reduce<Decimal | null>(
    (sum, text) => {
      const amount = parseDecimal(text);
      return sum === null || amount === null ? null : add(sum, amount);
    },
    decimalOf(0n, 0),
  );
}

/** Folds a use and its outcome. */
export function evolveContractUse(uses: Automation['uses'], event: ContractUseEvent): Automation['uses'] {
  const { toolCallId } = event;
  switch (event.type) {
    case 'contract.used': {
      const { approvalId, usd, occurrence } = event;
      return { ...uses, [toolCallId]: { approvalId, usd, occurrence, over: false } };
    }
    case 'contract.use_raised':
      return withUse(uses, toolCallId, { usd: event.usd });
    case 'contract.use_settled':
      return withUse(uses, toolCallId, { usd: event.usd, over: true });
    case 'contract.use_returned':
      return Object.fromEntries(Object.entries(uses).filter(([used]) => used !== toolCallId));
    default:
      return unreachable(event);
  }
}

/** The decider emits such events only for uses that exist. */
function withUse(uses: Automation['uses'], toolCallId: ToolCallId, change: Partial<ContractUse>): Automation['uses'] {
  const use = uses[toolCallId];
  return use === undefined ? uses : { ...uses, [toolCallId]: { ...use, ...change } };
}

/**
 * Whether both are the same in canonical form (RFC 8785) apart from their names. An approval of one then covers the
 * other (docs/decisions/automations.md, "The authority is bound"). Erased words equal each other: by then, no rule gives authority.
 */
export function isSameRule(one: StoredDefinition, other: StoredDefinition): boolean {
  return isSameJson(reviewedOf(one), reviewedOf(other));
}

/** The definition without its name; a contract from before `usesPerOccurrence` gets the value that it counts as. */
function reviewedOf(definition: StoredDefinition): StoredDefinition {
  const { contract } = definition;
  const bounds = contract?.bounds;
  if (contract === undefined || bounds === undefined) return { ...definition, name: '' };
  const counted = { ...contract, bounds: { ...bounds, usesPerOccurrence: usesPerOccurrenceOf(bounds) } };
  return { ...definition, name: '', contract: counted };
}

/** Compares values read from JSON, whose depth is bounded by the reader. */
function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const members = new Map<string, unknown>(Object.entries(other));
  const entries = Object.entries(one);
  return (
    entries.length === members.size &&
    entries.every(([name, member]) => members.has(name) && isSameJson(member, members.get(name)))
  );
}
