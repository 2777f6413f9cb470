import { randomBytes } from 'node:crypto';
import { readConfiguration } from '@app/settings';
import { Sealing } from './sealing';

const random = () => randomBytes(32).toString('base64');
const sealing = (...entries: readonly string[]) =>
  new Sealing(readConfiguration({ PARLEY_SECRET_KEY: entries.join(',') }), 'test/sealing/1');
const plain = Buffer.from('a secret');

describe('sealed values', () => {
  const [oldest, older, newest] = [random(), random(), random()];

  it('are sealed under the newest entry, and open with each', () => {
    const all = sealing(newest, older, oldest);
    const values = [newest, older, oldest].map((entry) => sealing(entry).seal(plain, 'row'));
    expect(values.map((value) => all.openWithEntry(value, 'row'))).toEqual(
      [0, 1, 2].map((entry) => ({ plain, entry })),
    );
    expect(values.map((value) => all.open(value, 'row'))).toEqual([plain, plain, plain]);
    const sealed = all.seal(plain, 'row');
    expect(sealing(newest).open(sealed, 'row')).toEqual(plain);
    expect(sealing(older, oldest).openWithEntry(sealed, 'row')).toBeNull();
  });

  it('are the same, however many entries there are', () => {
    expect(sealing(newest, older).seal(plain, 'row')).toHaveLength(12 + 16 + plain.length);
    // Sealed by a version that knew one entry only, under 32 bytes of 7 and the label above.
    const kept = Buffer.from('wR9YH8sLBmqfj0X7HlppmNJe59G4qQGDUf1lrbbDoj2qmtqc', 'base64');
    expect(sealing(newest, Buffer.alloc(32, 7).toString('base64')).open(kept, 'row')).toEqual(plain);
  });

  it.each(['moved to another row', 'altered', 'cut', 'empty'])('do not open when they are %s', (how) => {
    const both = sealing(newest, older);
    const sealed = sealing(older).seal(plain, 'row');
    const changed = {
      altered: Buffer.from(sealed.map((byte) => byte ^ 1)),
      cut: sealed.subarray(0, 20),
      empty: Buffer.alloc(0),
    };
    const value = how in changed ? changed[how as keyof typeof changed] : sealed; // `in` says so
    const place = how === 'moved to another row' ? 'another' : 'row';
    expect(both.openWithEntry(value, place)).toBeNull();
    expect(() => both.open(value, place)).toThrow(`no entry of PARLEY_SECRET_KEY opens what is sealed for ${place}`);
  });
});
