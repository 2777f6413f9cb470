import { createHash } from 'node:crypto';
import type { RunKey } from '@app/kernel';
import { newestTurns, type EndedTurn } from './history';

/** Turns of one size, with run keys that seem random and are the same each time. */
function turnsOf(count: number): EndedTurn[] {
  return Array.from({ length: count }, (_none, at) => ({
    // Reason for the assertion: any text of this form is a run key.
    runKey: createHash('sha256').update(`run ${at}`).digest('hex').slice(0, 32) as RunKey,
    input: `turn ${String(at).padStart(4, '0')}`,
    steps: [],
  }));
}

const sizeOf = (turns: readonly EndedTurn[]): number => Buffer.byteLength(JSON.stringify(turns));
const [one] = turnsOf(1);
const bytesOfOne = Buffer.byteLength(JSON.stringify(one));

describe('the newest turns', () => {
  it('are all of them where they fit', () => {
    const turns = turnsOf(10);
    expect(newestTurns(turns, sizeOf(turns), true)).toEqual(turns);
    expect(newestTurns([], 100, true)).toEqual([]);
  });

  it('are none where the last one does not fit', () => {
    expect(newestTurns(turnsOf(3), bytesOfOne - 1, true)).toEqual([]);
  });

  it('are the last one where no other fits beside it', () => {
    const turns = turnsOf(3);
    expect(newestTurns(turns, bytesOfOne, true)).toEqual(turns.slice(2));
  });

  it('are cut so that they fill at least half of the bound, and seldom begin with another one', () => {
    const [fitting, last] = [20, 400];
    const bytesMax = fitting * bytesOfOne;
    const all = turnsOf(last);
    const firsts = new Set<string>();
    for (let count = fitting + 1; count <= last; count += 1) {
      const shown = newestTurns(all.slice(0, count), bytesMax, true);
      expect(shown).toEqual(all.slice(count - shown.length, count));
      expect(shown.length).toBeGreaterThan(fitting / 2);
      expect(shown.length).toBeLessThanOrEqual(fitting);
      firsts.add(shown[0]?.input ?? '');
    }
    // A window of ten: about two in eleven (Schleimer, Wilkerson and Aiken). Otherwise it would be 380, one for every turn.
    expect(firsts.size).toBeLessThan(100);
  });

  it('are cut likewise where what came before is not known', () => {
    const turns = turnsOf(8);
    const shown = newestTurns(turns, 8 * bytesOfOne, false);
    expect(shown.length).toBeGreaterThan(4);
    expect(turns.slice(-shown.length)).toEqual(shown);
  });
});
