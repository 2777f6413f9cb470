import { Injectable } from '@nestjs/common';
import { Clock, isJsonObject, type JsonValue } from '@app/kernel';

/** What a tool's run came to; a failure is told to the model, and the run goes on. */
export type ToolResult =
  | { readonly outcome: 'ok'; readonly result: JsonValue }
  | { readonly outcome: 'error'; readonly result: { readonly error: string } };

/** A tool of the closed registry (decisions.md, section 3, "Tools"). */
export interface Tool {
  readonly name: string;
  /** Whether doing it again changes nothing outside: then a call that was cut off by a crash is simply run again. */
  readonly hasEffect: boolean;
  run(input: JsonValue, signal: AbortSignal): Promise<ToolResult>;
}

/** Every tool that the deployment offers, by the name that the model sees. */
@Injectable()
export class Tools {
  private readonly registry: ReadonlyMap<string, Tool>;

  constructor(clock: Clock) {
    this.registry = new Map([currentTime(clock)].map((tool) => [tool.name, tool]));
  }

  get names(): readonly string[] {
    return [...this.registry.keys()];
  }

  find(name: string): Tool | undefined {
    return this.registry.get(name);
  }
}

/** `current_time`: the service clock's instant, and how it reads in a time zone (UTC when none is named). */
function currentTime(clock: Clock): Tool {
  return {
    name: 'current_time',
    hasEffect: false,
    run: (input) => {
      const timezone = isJsonObject(input) ? (input['timezone'] ?? 'UTC') : null;
      const extra = isJsonObject(input) && Object.keys(input).some((name) => name !== 'timezone');
      if (typeof timezone !== 'string' || extra)
        return Promise.resolve(failed('the input must be {timezone?: string}'));
      const local = inZone(clock.epochMs(), timezone);
      if (local === null) return Promise.resolve(failed('the time zone is not known'));
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

function failed(error: string): ToolResult {
  return { outcome: 'error', result: { error } };
}
