import { canonicalText } from '@app/canonical';
import fc from 'fast-check';
import { bundleOf, entriesIn, entryBytes } from './entry';
import { tileWidth } from './tiles';

const text = fc.string({ unit: 'binary' });
const entries = fc.record({
  stream: text,
  revision: fc.maxSafeNat(),
  id: fc.uuid(),
  type: text,
  dataSha256: fc.string({ minLength: 64, maxLength: 64 }),
  metadataSha256: text,
});

describe('an entry', () => {
  it('is the RFC 8785 form of what the log says of an event', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        expect(Buffer.from(entryBytes(entry)).toString()).toBe(canonicalText(entry));
      }),
    );
  });
});

describe('a bundle of entries', () => {
  it('holds them in their order', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 20 }), (all) => {
        expect(entriesIn(bundleOf(all))?.map((one) => [...one])).toEqual(all.map((one) => [...one]));
      }),
    );
  });

  it('is refused where it is cut', () => {
    const bundle = bundleOf([Uint8Array.of(1, 2, 3), Uint8Array.of(4)]);
    for (const length of [1, 2, 4, 6, 7]) expect(entriesIn(bundle.subarray(0, length))).toBeNull();
  });

  it('is refused where it holds more entries than a bundle may', () => {
    expect(entriesIn(new Uint8Array(2 * tileWidth))).toHaveLength(tileWidth);
    expect(entriesIn(new Uint8Array(2 * tileWidth + 2))).toBeNull();
    expect(entriesIn(new Uint8Array(17 * 1024 ** 2))).toBeNull();
  });
});
