import type { AutomationId, Instant } from '@app/kernel';
import type { Database } from '@app/read-store';
import type { InboundEvent, InputSource } from './input.stream';

/** Maximum number of inputs in memory at a time: each has up to 16 KiB of data. */
const inputsAtOnce = 200;

/** An input as it was recorded. */
export interface RecordedInput {
  readonly at: Instant;
  /** Sorts inputs of one instant. */
  readonly position: number;
  readonly source: InputSource;
  readonly event: InboundEvent;
}

/** The inputs of an automation that were recorded after `from` and not after `to`, oldest first. @throws Unavailable */
export async function* inputsBetween(
  database: Database,
  automationId: AutomationId,
  from: Instant,
  to: Instant,
): AsyncGenerator<RecordedInput> {
  let last: Pick<RecordedInput, 'at' | 'position'> | undefined = { at: from, position: Number.MAX_SAFE_INTEGER };
  while (last !== undefined) {
    const page: RecordedInput[] = await database.query<RecordedInput>(
      `SELECT at, opened_position AS position, source, event FROM {automation_inputs}
       WHERE automation_id = $1 AND (at, opened_position) > ($2, $3) AND at <= $4 ORDER BY at, opened_position LIMIT $5`,
      [automationId, last.at, last.position, to, inputsAtOnce],
    );
    yield* page;
    last = page.length < inputsAtOnce ? undefined : page.at(-1);
  }
}
