/**
 * Steps through every minute and reads a zone's clock as the language formats it: slow, and independent of the code
 * under test.
 */

export const dayMs = 86_400_000;

const clockOf = (zone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });

/** Each day's first minute at or after the wanted one, in a span that is open at its start. */
export function firstShown(zone: string, wantedMinute: number, afterMs: number, untilMs: number): number[] {
  const format = clockOf(zone);
  const found: number[] = [];
  let today = '';
  let done = true;
  for (let epochMs = afterMs - dayMs; epochMs <= untilMs; epochMs += 60_000) {
    const [day = '', time = ''] = format.format(epochMs).split(', ');
    // The first day of the search is not whole.
    if (day !== today && today !== '') done = false;
    today = day;
    const minute = Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
    if (done || minute < wantedMinute) continue;
    done = true;
    if (epochMs > afterMs) found.push(epochMs);
  }
  return found;
}

/** Each minute that shows the wanted minute of an hour, or at which the clock jumps past it. */
export function everyShown(zone: string, wantedMinute: number, afterMs: number, untilMs: number): number[] {
  const format = clockOf(zone);
  const wallOf = (epochMs: number): number => {
    const [day = '', time = ''] = format.format(epochMs).split(', ');
    const [date = '', month = '', year = ''] = day.split('/');
    return Date.parse(`${year}-${month}-${date}T${time}:00Z`);
  };
  const wanted = (wallMs: number): boolean => (wallMs / 60_000) % 60 === wantedMinute;
  const found: number[] = [];
  for (let epochMs = afterMs + 60_000; epochMs <= untilMs; epochMs += 60_000) {
    const [before, now] = [wallOf(epochMs - 60_000), wallOf(epochMs)];
    const leftOut = Array.from(
      { length: Math.max(0, (now - before) / 60_000 - 1) },
      (_, nth) => before + (nth + 1) * 60_000,
    );
    if (wanted(now) || leftOut.some(wanted)) found.push(epochMs);
  }
  return found;
}
