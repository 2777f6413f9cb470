import { instantAtWall, instantPassing, wallAt } from './zones';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The wall time according to ICU, by itself. */
function wallOfIcu(zone: string, epochMs: number): number {
  let format = formats.get(zone);
  if (format === undefined) {
    const parts = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
    format = new Intl.DateTimeFormat('en-US', { ...parts, second: 'numeric', hourCycle: 'h23', timeZone: zone });
    formats.set(zone, format);
  }
  const found: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format.formatToParts(epochMs)) found[type] = Number(value);
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = found;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** The instants of a month at which a clock of the zone shows noon, found one after the other. */
function noonsOf(zone: string, fromMs: number, days: number): number[] {
  const noons: number[] = [];
  const nextNoon = (wallMs: number) => Math.floor((wallMs + dayMs / 2) / dayMs) * dayMs + dayMs / 2;
  for (let atMs = fromMs; noons.length < days;) {
    const next = instantPassing(zone, atMs, nextNoon);
    if (next === null) throw new Error('every day has a noon');
    noons.push(next);
    atMs = next;
  }
  return noons;
}

describe('a zone whose offset changes twice within two weeks', () => {
  it.each([
    ['Asia/Gaza', '2040-09-25', 60],
    ['America/Noronha', '2000-09-20', 60],
  ])('%s keeps its wall time from %s on', (zone, from, days) => {
    const fromMs = Date.parse(from);
    for (const noon of noonsOf(zone, fromMs, days)) {
      const wall = wallOfIcu(zone, noon);
      expect([new Date(noon), wall % dayMs]).toEqual([new Date(noon), dayMs / 2]);
      expect(instantAtWall(zone, wall)).toBe(noon);
    }
  });
});

describe('the wall time of a zone', () => {
  it.each([
    ['Africa/Casablanca', 2024],
    ['Africa/Cairo', 2010],
    ['Africa/Cairo', 2014],
    ['America/Argentina/San_Luis', 2008],
    ['America/Noronha', 2000],
    ['America/New_York', 2027],
    ['Antarctica/Troll', 2026],
    ['Asia/Gaza', 2011],
    ['Asia/Gaza', 2040],
    ['Asia/Hebron', 2056],
    ['Asia/Kathmandu', 1986],
    ['Australia/Lord_Howe', 2026],
    ['Europe/Berlin', 2026],
    ['Europe/Simferopol', 1981],
    ['Pacific/Apia', 2011],
  ])('is that of ICU in %s in %i, at every hour', (zone, year) => {
    const untilMs = Date.UTC(year + 1, 0);
    for (let atMs = Date.UTC(year, 0); atMs < untilMs; atMs += hourMs)
      if (wallAt(zone, atMs) !== wallOfIcu(zone, atMs))
        expect([new Date(atMs), new Date(wallAt(zone, atMs))]).toEqual([
          new Date(atMs),
          new Date(wallOfIcu(zone, atMs)),
        ]);
  });
});
