import { membersOf, selectList } from '../src';
import { TallyRow } from './tally';

describe('the members of an entity', () => {
  it('are its columns, in its order, but for those that are left out', () => {
    expect(membersOf(TallyRow)).toEqual(['id', 'total', 'closed', 'lastNote', 'position']);
    expect(membersOf(TallyRow, ['id', 'position'])).toEqual(['total', 'closed', 'lastNote']);
  });
});

describe('a select list', () => {
  it('answers each column under its member', () => {
    expect(selectList(TallyRow, ['id', 'lastNote'])).toBe('"id", "last_note" AS "lastNote"');
    expect(selectList(TallyRow, ['lastNote'], { table: 't' })).toBe('t."last_note" AS "lastNote"');
  });

  it('has computed members where they were asked for', () => {
    const list = selectList(TallyRow, ['id', 'isBig', 'total'], { computed: { isBig: 'total > 9' } });
    expect(list).toBe('"id", total > 9 AS "isBig", "total"');
  });

  it('is refused where a member is no column', () => {
    // @ts-expect-error -- does not compile either
    expect(() => selectList(TallyRow, ['lastNotes'])).toThrow('TallyRow has no column for lastNotes');
  });
});
