import { accept, epochMsOf, type OccurrenceId } from '@app/kernel';
import fc from 'fast-check';
import { history, type Step } from '../../test/automation-histories';
import type { AutomationCommand } from './automation.commands';
import { automationDecider } from './automation.decider';
import type { AutomationEvent, OccurrenceEvent } from './automation.events';
import { waitingMax } from './occurrence/occurrence.decider';

const historiesPerProperty = process.env['FIGURES'] === 'full' ? 10_000 : 300;

/** All but the completion, which the service commands. */
const commandTypes: readonly AutomationCommand['type'][] = [
  'CreateAutomation' as const,
  'UpdateAutomation' as const,
  'PauseAutomation' as const,
  'ResumeAutomation' as const,
  'ArchiveAutomation' as const,
  'HoldAutomation' as const,
  'ReleaseAutomation' as const,
  'RecordMatch' as const,
  'BeginAdmission' as const,
  'AcceptOccurrence' as const,
  'DeferOccurrence' as const,
  'RejectOccurrence' as const,
  'FinishOccurrence' as const,
  'UseContract' as const,
  'ReturnContractUse' as const,
  'DecideApproval' as const,
  'ExpireApproval' as const,
  'PassOverInput' as const,
];

function check(property: (steps: readonly Step[]) => void): void {
  fc.assert(fc.property(history, property), { numRuns: historiesPerProperty });
}

const eventsOf = (steps: readonly Step[]): AutomationEvent[] => steps.flatMap(({ events }) => events);

const isUse = ({ events }: Step): boolean => events.some(({ type }) => type === 'contract.used');

const isOfOccurrence = (event: AutomationEvent): event is OccurrenceEvent => 'occurrenceId' in event;

/** An invocation that cannot be taken has an occurrence, which is rejected at once. */
function isRefused(events: readonly AutomationEvent[]): boolean {
  return events.some(({ type }) => type === 'occurrence.arose') && events[1]?.type === 'occurrence.rejected';
}

/** The events of each occurrence in a history, in their order. */
function courses(steps: readonly Step[]): Map<OccurrenceId, OccurrenceEvent['type'][]> {
  const found = new Map<OccurrenceId, OccurrenceEvent['type'][]>();
  for (const { occurrenceId, type } of eventsOf(steps).filter(isOfOccurrence))
    found.set(occurrenceId, [...(found.get(occurrenceId) ?? []), type]);
  return found;
}

/** The oracle's own arithmetic: amounts in these histories have at most two digits after the point. */
function centsOf(usd = '0'): bigint {
  const [whole = '', fraction = ''] = usd.split('.');
  return BigInt(whole + fraction.padEnd(2, '0'));
}

function countBy<Value>(values: readonly Value[]): Map<Value, number> {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/**
 * Every course that an occurrence may take; an acceptance after a deferral is by another process that admitted it as
 * well.
 */
const course =
  /^arose(?: (?:skipped|rejected|coalesced|canceled)|(?: admitting(?: deferred)?)*(?: (?:rejected|canceled|coalesced)| accepted(?: finished)?)?)$/;

describe('whatever the order of commands', () => {
  it('an occurrence arises once, and comes to one end at most', () =>
    check((steps) => {
      for (const types of courses(steps).values())
        expect(types.map((type) => type.replace('occurrence.', '')).join(' ')).toMatch(course);
    }));

  it('one at a time is admitted or runs', () =>
    check((steps) => {
      const under = new Set<OccurrenceId>();
      for (const event of eventsOf(steps).filter(isOfOccurrence)) {
        const { type, occurrenceId } = event;
        if (type === 'occurrence.admitting' || type === 'occurrence.accepted') under.add(occurrenceId);
        else if (type !== 'occurrence.arose') under.delete(occurrenceId);
        expect(under.size).toBeLessThanOrEqual(1);
      }
    }));

  it('the state counts what was accepted, and knows what is active', () =>
    check((steps) => {
      const events = eventsOf(steps);
      const after = steps.at(-1)?.after;
      const of = (...types: readonly AutomationEvent['type'][]) =>
        events.filter(({ type }) => types.includes(type)).length;
      expect(after?.occurrences).toBe(of('occurrence.accepted'));
      const over = of('occurrence.rejected', 'occurrence.canceled', 'occurrence.skipped', 'occurrence.coalesced');
      expect(after?.active).toHaveLength(of('occurrence.arose') - over - of('occurrence.finished'));
      expect(after?.active.length).toBeLessThanOrEqual(waitingMax + 2);
    }));

  it('nothing arises from an automation that may not fire, nor waits in one that is not enabled', () =>
    check((steps) => {
      for (const { before, events, after } of steps) {
        if (events.some(({ type }) => type === 'occurrence.arose') && !isRefused(events))
          expect(before).toMatchObject({ state: 'enabled', held: false, completed: false });
        if (after?.state !== 'enabled')
          expect(after?.active.filter(({ delivery }) => delivery === 'pending')).toEqual([]);
      }
    }));

  it('matches keep their distance from what was accepted, and their number and their end', () =>
    check((steps) => {
      for (const { command, before, events } of steps) {
        const arises = events.some(({ type }) => type === 'occurrence.arose');
        if (!arises || isRefused(events) || command.type !== 'RecordMatch' || before === null) continue;
        const { maxOccurrences, endAt, cooldownSeconds } = before.definition.firing;
        if (maxOccurrences !== undefined) expect(before.occurrences).toBeLessThan(maxOccurrences);
        if (endAt !== undefined) expect(command.forAt < endAt).toBe(true);
        if (command.trigger === 'invoke' || command.tooLate !== null || cooldownSeconds === 0) continue;
        if (before.memory.lastAcceptedFor === null) continue;
        const distanceMs = epochMsOf(command.forAt) - epochMsOf(before.memory.lastAcceptedFor);
        expect(distanceMs).toBeGreaterThanOrEqual(cooldownSeconds * 1000);
      }
    }));

  it('nothing more than its number is accepted, as long as that is not changed', () =>
    check((steps) => {
      const events = eventsOf(steps);
      const max = steps[0]?.after?.definition.firing.maxOccurrences;
      if (max === undefined || events.some(({ type }) => type === 'automation.updated')) return;
      expect(events.filter(({ type }) => type === 'occurrence.accepted').length).toBeLessThanOrEqual(max);
    }));

  it('a contract is used within its bounds, while it is approved', () =>
    check((steps) => {
      for (const { before, after } of steps.filter(isUse)) {
        expect(before).toMatchObject({ state: 'enabled', contractApproval: { status: 'approved' } });
        const bounds = after?.definition.contract?.bounds;
        const uses = Object.values(after?.uses ?? {}).map(({ usd }) => centsOf(usd));
        expect(uses.length).toBeLessThanOrEqual(bounds?.maxUses ?? 0);
        const ofOccurrences = countBy(Object.values(after?.uses ?? {}).map(({ occurrence }) => occurrence));
        expect(Math.max(...ofOccurrences.values())).toBeLessThanOrEqual(bounds?.usesPerOccurrence ?? 0);
        for (const use of uses) expect(use).toBeLessThanOrEqual(centsOf(bounds?.perUseUsd));
        expect(uses.reduce((sum, use) => sum + use)).toBeLessThanOrEqual(centsOf(bounds?.totalUsd));
      }
    }));

  it('a command that comes again changes nothing more, or is refused', () => {
    const seen = new Set<string>();
    check((steps) => {
      for (const { command, refused, events, after } of steps) {
        if (events.length > 0) seen.add(command.type);
        const again = automationDecider.decide(command, after);
        const isRefusable = ['ResumeAutomation', 'UpdateAutomation', 'DecideApproval', 'PauseAutomation'].includes(
          command.type,
        );
        if (refused || isRefusable) expect(again.accepted && again.events.length > 0).toBe(false);
        else expect(again).toEqual(accept());
      }
    });
    // The histories test something only if every command occurs in them.
    expect([...seen].sort()).toEqual([...commandTypes].sort());
  });
});
