/** Whatever the check of a definition accepts can be computed, because the check asks the library that computes. */
import { instantOf } from '@app/kernel';
import fc from 'fast-check';
import { isCronExpression, nextDue } from './schedule';
import { instantAtWall, isZone, wallAt } from './zones';

/** Names that ICU accepts as zones, and the time zone database does not have. */
const ofIcu = 'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST';
const odd =
  'EST MST HST EST5EDT PST8PDT GMT UTC utc Z GMT+1 GMT0 Etc/GMT+12 UTC+1 Etc/Unknown Europe Europe/ europe/berlin SystemV/PST8';
const none = ['', ' ', 'Europe/Berlin ', 'Europe/Berlin\0', '+01:00', 'America/Nowhere'];
const known = Intl.supportedValuesOf('timeZone');
const names = [...known, ...ofIcu.split(' '), ...odd.split(' '), ...none];

/** The zones that each day is computed for; all of them would take too long. */
const some = names.filter((name, at) => (at % 8 === 0 || name === 'Europe/Simferopol') && isZone(name));

const now = instantOf(Date.UTC(2026, 4, 5, 10));

it('takes every zone of the database, and none of ICU alone', () => {
  expect(known.filter((name) => !isZone(name))).toEqual([]);
  expect([...ofIcu.split(' '), ...none].filter(isZone)).toEqual([]);
});

it.each(['1900-06-01', '1970-01-01', '1975-06-01', '2026-05-05', '9999-12-30'])(
  'in zones that are accepted, wall times of %s can be computed',
  (day) => {
    const epochMs = Date.parse(day);
    const wrong = some.filter(
      (name) => wallAt(name, instantAtWall(name, wallAt(name, epochMs))) !== wallAt(name, epochMs),
    );
    expect(wrong).toEqual([]);
  },
);

const field = fc.oneof(
  fc.constantFrom(
    ...'* ? 0 1 5 7 12 23 28 29 30 31 59 60 L 1L 5#3 15W LW MON mon-fri JAN */5 1-5 5-1 1/3 */0 1-5/2 1,2,3 -1 1.5 ٣'.split(
      ' ',
    ),
  ),
  fc.string({ maxLength: 4 }),
);
const expression = fc.oneof(
  fc.array(field, { minLength: 4, maxLength: 7 }).map((fields) => fields.join(' ')),
  fc.string({ maxLength: 20 }),
);

it('a due time of each expression that is accepted can be computed', () => {
  fc.assert(
    fc.property(expression, fc.constantFrom(...some), (text, timezone) => {
      if (!isCronExpression(text)) return;
      const due = nextDue({ kind: 'cron', expression: text, timezone }, now, now);
      expect(due === null || due > now).toBe(true);
    }),
    { numRuns: 200 },
  );
});
