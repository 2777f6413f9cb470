import { Injectable } from '@nestjs/common';
import { Clock, words } from '@app/kernel';
import { object, optional, text, withoutOthers, type Shaped } from '@app/schema';
import { LRUCache } from 'lru-cache';
import { failWith, type ToolResult } from '../tool';
import type { AutoDeclaration } from '../tool-declaration';

const input = withoutOthers(
  object({ timezone: optional(text({ brief: 'IANA name, such as Europe/Berlin; UTC when absent' })) }),
);

/** The service clock's instant, and its local time in a time zone. */
@Injectable()
export class CurrentTime implements AutoDeclaration<Shaped<typeof input>> {
  readonly order = 80;
  readonly name = 'current_time';
  readonly description = 'The present instant, and how clocks in a time zone show it.';
  readonly input = input;
  readonly inputWords = words`{timezone?: string}`;
  readonly effect = 'none';
  readonly consent = 'auto';

  constructor(private readonly clock: Clock) {}

  async run({ timezone = 'UTC' }: Shaped<typeof input>): Promise<ToolResult> {
    const local = inZone(this.clock.epochMs(), timezone);
    if (local === null) return failWith('the time zone is not known');
    return { outcome: 'ok', result: { now: this.clock.now(), timezone, local } };
  }
}

/** Formats of recently requested zones, because creating one takes longer than using it. */
const clocks = new LRUCache<string, Intl.DateTimeFormat>({
  max: 64,
  memoMethod: (timeZone) => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
});

/** Formats as `2026-11-21 09:05:00` in the zone; null for an unknown zone. */
function inZone(epochMs: number, timeZone: string): string | null {
  try {
    return clocks.memo(timeZone).format(epochMs);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
