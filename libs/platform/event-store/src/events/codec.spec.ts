import { instantOf, isJsonObject, type Instant } from '@app/kernel';
import { counted, counterKind, someCause } from '@app/testing/deciders';
import type { ReceivedEvent } from '@app/event-store-wire';
import { decodeEvent, decodeStored, encodeEvent, upcast } from './codec';
import type { DomainEvent, StreamKind } from './stream-kind';

const cause = someCause();

/** The form in which the store returns an encoded event, over its JSON form. */
function receivedOf(encoded: { id: string; type: string; data: unknown; metadata?: unknown }): ReceivedEvent {
  const { id, type } = encoded;
  const bytes = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');
  return {
    kind: 'event',
    stream: 'counter-7',
    revision: 4,
    position: 90,
    id,
    type,
    isJson: true,
    data: bytes(encoded.data),
    metadata: bytes(encoded.metadata),
  };
}

/** The bytes of our metadata with these members changed. */
function withMetadata(changed: object): Buffer {
  const { metadata } = encodeEvent(counterKind, counted(3), cause);
  return Buffer.from(JSON.stringify({ ...(metadata as object), ...changed })); // reason for the assertion: `encodeEvent` makes an object
}

describe('encodeEvent', () => {
  it('stores the public payload as data, and who and why beside it', () => {
    const encoded = encodeEvent(counterKind, counted(1), cause);
    expect(encoded).toMatchObject({ type: 'counter.counted', contentType: 'application/json' });
    expect(encoded.data).toEqual({ type: 'counter.counted', at: '2026-03-01T12:00:00.000Z', n: 1 });
    expect(encoded.metadata).toEqual({
      $correlationId: cause.correlationId,
      $causationId: cause.causationId,
      requestId: cause.requestId,
      actor: { kind: 'service', id: 'test' },
      private: { note: 'note 1' },
    });
  });

  it('never lets a private member into the data', () => {
    const encoded = encodeEvent(counterKind, { ...counted(1), note: 'for nobody' }, cause);
    expect(JSON.stringify(encoded.data)).not.toContain('nobody');
    expect(JSON.stringify(encoded.data)).not.toContain('note');
  });

  it('mints ids that differ and sort by time', () => {
    const ids = Array.from({ length: 50 }, () => encodeEvent(counterKind, counted(1), cause).id);
    expect(new Set(ids).size).toBe(50);
    expect([...ids].sort()).toEqual(ids);
  });
});

describe('decodeEvent', () => {
  it('gives back the very event, with its place, its payload in public form, and its cause', () => {
    const encoded = encodeEvent(counterKind, counted(3), cause);
    const recorded = decodeEvent(counterKind, decodeStored(receivedOf(encoded)));
    expect(recorded.event).toEqual(counted(3));
    expect(recorded.payload).toEqual(encoded.data);
    expect(recorded).toMatchObject({ stream: 'counter-7', revision: 4, position: 90, id: encoded.id });
    expect(recorded.metadata).toMatchObject({ requestId: cause.requestId, actor: cause.actor });
  });

  it.each<[string, Partial<ReceivedEvent>]>([
    ['bytes for data', { isJson: false }],
    ['an array for data', { data: Buffer.from('[]') }],
    ['a text for data', { data: Buffer.from('not JSON') }],
    ['no metadata', { metadata: Buffer.alloc(0) }],
    ['bytes for metadata', { metadata: Buffer.of(0xff) }],
    ['metadata of another program', { metadata: Buffer.from('{}') }],
    ['an actor of another program', { metadata: withMetadata({ actor: 'ada' }) }],
    ['no cause', { metadata: withMetadata({ $causationId: 7 }) }],
    ['half a version', { metadata: withMetadata({ v: 1.5 }) }],
    ['a list of private members', { metadata: withMetadata({ private: [] }) }],
  ])('refuses an event with %s, which this product cannot have written', (_, foreign) => {
    const received = receivedOf(encodeEvent(counterKind, counted(3), cause));
    expect(() => decodeStored({ ...received, ...foreign })).toThrow(TypeError);
  });
});

type Paid = {
  readonly type: 'paid';
  readonly at: Instant;
  readonly amount: { readonly cents: number; readonly unit: string };
};

/** An event type that was stored in three shapes: `usd` as a number, then `cents`, then `amount`. */
const paidKind: Pick<StreamKind<unknown, never, Paid>, 'category' | 'privateMembers' | 'upcasters'> = {
  category: 'counter',
  upcasters: {
    paid: [
      ({ usd, ...rest }) => ({ ...rest, cents: Number(usd) * 100 }),
      ({ cents, ...rest }) => ({ ...rest, amount: { cents: cents ?? null, unit: 'usd' } }),
    ],
  },
};
const at = instantOf(0);
const present: Paid = { type: 'paid', at, amount: { cents: 700, unit: 'usd' } };

describe('upcasters', () => {
  const storedAs = (data: object, v?: number) => {
    const received = receivedOf({ id: 'id', type: 'paid', data });
    return decodeStored({ ...received, metadata: withMetadata({ private: undefined, v }) });
  };
  const fixtures = [
    ['without a version', storedAs({ type: 'paid', at, usd: 7 })],
    ['of version 1', storedAs({ type: 'paid', at, usd: 7 }, 1)],
    ['of version 2', storedAs({ type: 'paid', at, cents: 700 }, 2)],
    ['of version 3', storedAs(present, 3)],
  ] as const;

  it.each(fixtures)('lift an event %s to the present shape', (_, stored) => {
    expect(decodeEvent(paidKind, stored)).toMatchObject({ event: present, payload: present });
    expect(upcast(paidKind, stored)).toEqual(present);
  });

  it('leave what is stored as it is', () => {
    const [, stored] = fixtures[0];
    const before = JSON.stringify(stored);
    decodeEvent(paidKind, stored);
    expect(JSON.stringify(stored)).toBe(before);
  });

  it('let new events be stored as the version after the last of them', () => {
    const encoded = encodeEvent(paidKind, present, cause);
    expect(isJsonObject(encoded.metadata) && encoded.metadata['v']).toBe(3);
    expect(decodeEvent(paidKind, decodeStored(receivedOf(encoded))).event).toEqual(present);
  });

  it('do not touch events of other types', () => {
    const other: DomainEvent = { type: 'other', at };
    const encoded = encodeEvent<DomainEvent>({ category: 'counter' }, other, cause);
    expect(upcast(paidKind, decodeStored(receivedOf(encoded)))).toEqual(other);
  });
});
