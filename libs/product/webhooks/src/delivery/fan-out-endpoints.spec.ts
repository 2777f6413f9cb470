import { encodeEvent, type StoredEvent } from '@app/event-store';
import { instantOf } from '@app/kernel';
import { someCause } from '@app/testing/deciders';
import { changeOf } from './fan-out-endpoints';

const created = stored(0, {
  type: 'endpoint.created',
  url: 'https://receiver.example/',
  types: null,
  payload: 'full',
});

/** An event of the endpoint's stream, of any shape. */
function stored(revision: number, event: { readonly type: string; readonly [member: string]: unknown }): StoredEvent {
  const { id, type, data, metadata } = encodeEvent(
    { category: 'endpoint' },
    { at: instantOf(0), ...event },
    someCause(),
  );
  const place = { stream: 'endpoint-e', revision, position: revision + 1 };
  // Reason for the assertion: as the store returns it.
  return { ...place, id, type, payload: data, metadata } as unknown as StoredEvent;
}

it('an event that only a newer version knows changes nothing, and holds nothing up', () => {
  const target = changeOf(undefined, created)?.target;
  expect(target).toMatchObject({ isEnabled: true, revision: 0 });
  const later = changeOf(target, stored(1, { type: 'endpoint.noticed' }));
  expect(later).toEqual({ target: { ...target, revision: 1 }, gap: null, disabled: null });
});
