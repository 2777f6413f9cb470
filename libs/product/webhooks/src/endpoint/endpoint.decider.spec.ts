import { instant, specification } from '@app/testing/deciders';
import { endpointDecider, type EndpointCommand } from './endpoint.decider';
import type { EndpointEvent, EndpointSettings } from './endpoint.events';

const at = instant('2026-03-01T10:00Z');
const later = instant('2026-03-02T09:59Z');
const dayLater = instant('2026-03-02T10:00Z');
const reason = 'a new partner';
const settings: EndpointSettings = {
  url: 'https://partner.example/hooks',
  types: null,
  payload: 'thin',
  description: 'Acme',
};
const create: EndpointCommand = { type: 'CreateEndpoint', at, settings, keyId: 'key-1', reason };
const created: EndpointEvent = { type: 'endpoint.created', at, ...settings, keyId: 'key-1', reason };
const change = (more: Partial<EndpointSettings>, enabled?: boolean): EndpointCommand => ({
  type: 'ChangeEndpoint',
  at: later,
  settings: more,
  ...(enabled !== undefined && { enabled }),
  reason,
});
const rotate = (keyId: string, when = at): EndpointCommand => ({ type: 'RotateSecret', at: when, keyId, reason });
const rotated = (keyId: string, when = at): EndpointEvent => ({
  type: 'endpoint.secret_rotated',
  at: when,
  keyId,
  reason,
});
const failing: EndpointCommand = { type: 'DisableEndpoint', at: later, because: 'failing' };
const disabled: EndpointEvent = { type: 'endpoint.disabled', at: later, because: 'failing', reason: null };
const byOperator: EndpointEvent = { type: 'endpoint.disabled', at: later, because: 'operator', reason };
const enabled: EndpointEvent = { type: 'endpoint.enabled', at: later, reason };
const remove: EndpointCommand = { type: 'DeleteEndpoint', at: later, reason };
const deleted: EndpointEvent = { type: 'endpoint.deleted', at: later, reason };

describe('an endpoint', () => {
  const endpoint = specification(endpointDecider);

  it('is not folded from what is no event of an endpoint, whatever it is by then', () => {
    // Reason for the assertion: another program may write anything.
    const foreign = { type: 'endpoint.noticed', at } as unknown as EndpointEvent;
    for (const before of [[], [created], [created, disabled], [created, deleted]])
      expect(() => endpoint.given(...before, foreign).state).toThrow();
    expect(() => endpoint.given(disabled).state).toThrow('does not begin with');
  });

  it('is created once', () => endpoint.when(create).thenOnce(created));
  it('is not created with another key', () =>
    endpoint
      .given(created)
      .when({ ...create, keyId: 'key-2' })
      .thenRefused('invalid_input', { path: '/endpointId' }));
  it('is not created again when its secret was rotated since', () =>
    endpoint.given(created, rotated('key-2')).when(create).thenNothing());

  it.each([
    ['/url', { url: `https://partner.example/${'x'.repeat(2_048)}` }],
    ['/types', { types: [] }],
    ['/types', { types: ['run.ended', 'run.ended'] }],
    ['/description', { description: '' }],
    ['/description', { description: 'x'.repeat(201) }],
  ] as const)('refuses what is wrong at %s, at its beginning and later', (path, wrong) => {
    endpoint.when({ ...create, settings: { ...settings, ...wrong } }).thenRefused('invalid_input', { path });
    endpoint.given(created).when(change(wrong)).thenRefused('invalid_input', { path });
  });

  it('changes what is named, and says the whole', () =>
    endpoint
      .given(created)
      .when(change({ types: ['run.ended'] }))
      .thenOnce({ type: 'endpoint.changed', at: later, ...settings, types: ['run.ended'], reason }));
  it('is not changed by what it is already', () => {
    endpoint.given(created).when(change(settings)).thenNothing();
    endpoint.given(created).when(change({}, true)).thenNothing();
    endpoint.given(created, disabled).when(change({}, false)).thenNothing();
  });
  it('is disabled and enabled by an operator, with other changes at once', () => {
    endpoint.given(created).when(change({}, false)).thenOnce(byOperator);
    const url = 'https://partner.example/new';
    const changed = { type: 'endpoint.changed', at: later, ...settings, url, reason } as const;
    endpoint.given(created, disabled).when(change({ url }, true)).thenOnce(changed, enabled);
    endpoint.given(created, disabled).when(change({ url })).thenOnce(changed);
  });

  it('is disabled once, whoever does it first', () => {
    endpoint.given(created).when(failing).thenOnce(disabled);
    endpoint
      .given(created, disabled)
      .when({ ...failing, because: 'gone' })
      .thenNothing();
    endpoint.given(created, byOperator).when(failing).thenNothing();
    endpoint.given(created, disabled, enabled).when(failing).thenOnce(disabled);
  });

  it('signs with both keys for a day after a rotation', () => {
    endpoint.given(created).when(rotate('key-2')).thenOnce(rotated('key-2'));
    expect(endpoint.given(created, rotated('key-2')).state).toMatchObject({
      keys: [
        { keyId: 'key-2', until: null },
        { keyId: 'key-1', until: dayLater },
      ],
    });
  });
  it('keeps to the end of each key when it is rotated again', () => {
    const { state } = endpoint.given(created, rotated('key-2'), rotated('key-3', later));
    expect(state).toMatchObject({
      keys: [
        { keyId: 'key-3', until: null },
        { keyId: 'key-2', until: instant('2026-03-03T09:59Z') },
        { keyId: 'key-1', until: dayLater },
      ],
    });
    expect(endpoint.given(created, rotated('key-2'), rotated('key-3', dayLater)).state).toMatchObject({
      keys: [
        { keyId: 'key-3', until: null },
        { keyId: 'key-2', until: instant('2026-03-03T10:00Z') },
      ],
    });
  });
  it('signs with five keys at most', () => {
    const full = [created, ...['key-2', 'key-3', 'key-4', 'key-5'].map((key) => rotated(key))];
    endpoint
      .given(...full)
      .when(rotate('key-6', later))
      .thenRefused('rate_limited');
    endpoint
      .given(...full)
      .when(rotate('key-6', dayLater))
      .thenOnce(rotated('key-6', dayLater));
    endpoint
      .given(...full)
      .when(rotate('key-2', later))
      .thenNothing();
  });

  it('is deleted for good', () => {
    endpoint.given(created).when(remove).thenOnce(deleted);
    endpoint.given(created, disabled).when(remove).thenOnce(deleted);
    endpoint.given(created, deleted).when(remove).thenNothing();
    for (const command of [create, change({}), rotate('key-2'), failing])
      endpoint.given(created, deleted).when(command).thenRefused('not_found');
    expect(endpoint.given(created, deleted, enabled).state).toEqual({ status: 'deleted' });
  });

  it('is nothing before it is created', () => {
    for (const command of [change({}), rotate('key-2'), failing, remove])
      endpoint.when(command).thenRefused('not_found');
  });
});
