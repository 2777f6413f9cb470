import type { Recorded } from '@app/event-store';
import { asId, type AutomationId, type RequestId } from '@app/kernel';
import type { Projection, ReadModelRow } from '@app/read-store';
import fc from 'fast-check';
import { minutes } from '../../../test/automation-facts';
import { history, type Step } from '../../../test/automation-histories';
import type { AutomationEvent } from '../automation.events';
import type { AutomationRow, OccurrenceRow } from './automation.row';
import { viewOfRow, viewOfState } from '../../views/automation.view';
import { automationsProjection, occurrencesProjection } from './automations.projection';

const historiesPerProperty = 100;
const automationId = asId<AutomationId>('0190a000-0000-7000-8000-000000000001');

/** A history's events as the store returns them. */
function recordedOf(steps: readonly Step[]): Recorded<AutomationEvent>[] {
  const id = asId<RequestId>('request');
  const metadata = { $correlationId: id, $causationId: id, requestId: id, actor: { kind: 'service', id } } as const;
  return steps
    .flatMap(({ events }) => events)
    .map((event, revision) => ({
      stream: `automation-${automationId}`,
      revision,
      position: 100 + revision,
      id: `${revision}`,
      type: event.type,
      payload: {},
      metadata,
      event,
    }));
}

/** Other ones for each version, whatever the words. */
const ciphertexts = (version: number) => ({
  name: { sealed: `name ${version}` },
  prompt: { sealed: `prompt ${version}` },
});

/** The event as it is stored. */
function sealed(recorded: Recorded<AutomationEvent>): Recorded<AutomationEvent> {
  const { event } = recorded;
  if (event.type !== 'automation.created' && event.type !== 'automation.updated') return recorded;
  const definition = { ...event.definition, ...ciphertexts(event.definitionVersion) };
  return { ...recorded, event: { ...event, definition } };
}

/** The rows that result from the events, by key. */
function rowsOf<Row extends ReadModelRow>(
  projection: Projection<Row, AutomationEvent>,
  recorded: readonly Recorded<AutomationEvent>[],
): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const one of recorded) {
    const key = projection.keyOf(one);
    const row = key === null ? null : projection.project(rows.get(key) ?? null, one);
    if (key !== null && row !== null) rows.set(key, row);
  }
  return rows;
}

function check(property: (steps: readonly Step[], recorded: readonly Recorded<AutomationEvent>[]) => void): void {
  fc.assert(
    fc.property(history, (steps) => property(steps, recordedOf(steps))),
    { numRuns: historiesPerProperty },
  );
}

describe('after any history', () => {
  it('an automation is listed as its stream has it', () =>
    check((steps, recorded) => {
      const rows: Map<string, AutomationRow> = rowsOf(automationsProjection, recorded);
      const state = steps.at(-1)?.after ?? null;
      const row = rows.get(automationId);
      expect(rows.size).toBe(state === null ? 0 : 1);
      if (state === null || row === undefined) return;
      const now = minutes(20);
      expect(viewOfRow(row, now)).toEqual(viewOfState(automationId, state, now));
      // The projection never looks into words: from their ciphertexts it makes the same row, with the ciphertexts in it.
      const blind = rowsOf(automationsProjection, recorded.map(sealed)).get(automationId);
      const { prompt: _, name: __, ...rest } = state.definition;
      expect(blind).toEqual({ ...row, definition: { ...rest, ...ciphertexts(state.definitionVersion) } });
      const { completed, held, epochAt, userId, webhookKeyId } = state;
      expect(row).toMatchObject({ completed, held, epochAt, userId, webhookKeyId, openedPosition: 100 });
      expect(automationsProjection.counters?.(row)).toEqual([`${userId}/${state.state}`]);
    }));

  it('an occurrence is listed once, by what became of it last', () =>
    check((steps, recorded) => {
      const rows: Map<string, OccurrenceRow> = rowsOf(occurrencesProjection, recorded);
      const arose = recorded.filter(({ type }) => type === 'occurrence.arose');
      expect(rows.size).toBe(arose.length);
      const accepted = recorded.filter(({ type }) => type === 'occurrence.accepted').length;
      const listed = [...rows.values()];
      expect(listed.filter(({ delivery }) => delivery === 'accepted')).toHaveLength(accepted);
      for (const { occurrenceId, delivery } of steps.at(-1)?.after?.active ?? [])
        expect(rows.get(occurrenceId)?.delivery).toBe(delivery === 'admitting' ? 'pending' : delivery);
      for (const { delivery, runId, conversationId, reason, coalescedInto } of listed) {
        expect([runId !== null, conversationId !== null]).toEqual(Array(2).fill(delivery === 'accepted'));
        expect(coalescedInto !== null).toBe(delivery === 'coalesced');
        if (delivery === 'accepted' || delivery === 'pending') expect(reason).toBeNull();
      }
    }));
});
