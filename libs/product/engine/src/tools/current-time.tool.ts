import { isJsonObject, type Clock } from '@app/kernel';
import { failWith, type AutoTool } from '../tool';

/** `current_time`: the service clock's instant, and how it reads in a time zone (UTC when none is named). */
export function currentTime(clock: Clock): AutoTool {
  return {
    name: 'current_time',
    description: 'The present instant, and how clocks in a time zone show it.',
    inputSchema: {
      type: 'object',
      properties: { timezone: { type: 'string', description: 'IANA name, such as Europe/Berlin; UTC when absent' } },
      additionalProperties: false,
    },
    effect: 'repeatable',
    consent: 'auto',
    run: (input) => {
      const timezone = isJsonObject(input) ? (input['timezone'] ?? 'UTC') : null;
      const extra = isJsonObject(input) && Object.keys(input).some((name) => name !== 'timezone');
      if (typeof timezone !== 'string' || extra)
        return Promise.resolve(failWith('the input must be {timezone?: string}'));
      const local = inZone(clock.epochMs(), timezone);
      if (local === null) return Promise.resolve(failWith('the time zone is not known'));
      return Promise.resolve({ outcome: 'ok', result: { now: clock.now(), timezone, local } });
    },
  };
}

/** `2026-11-21 09:05:00` as clocks in the zone show it; null for a zone that is not known. */
function inZone(epochMs: number, timeZone: string): string | null {
  try {
    return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }).format(epochMs);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
