import type { JsonValue, RunId } from '@app/kernel';
import { exactly } from './exactly';
import { list, nullable, object } from './objects';
import { integer, json, oneOf, optional, text, uuid } from './schema';

interface Stored {
  readonly runId: RunId;
  readonly ids: readonly RunId[];
  readonly status: 'settled' | 'failed';
  readonly count: number | null;
  readonly input: JsonValue;
}

const fitting = {
  runId: uuid(),
  ids: list(uuid()),
  status: oneOf(['settled', 'failed']),
  count: nullable(integer()),
  input: json(),
};

describe('a schema that is tied to a type', () => {
  it('is the schema itself', () => {
    const schema = object(fitting);
    expect(exactly<Stored>()(schema)).toBe(schema);
  });

  it('does not compile where one says what the other does not', () => {
    // Each line would compile without the tie; the compiler reports an expectation that nothing violates.
    const drifts = [
      // @ts-expect-error a member is missing
      () => exactly<Stored & { readonly more: string }>()(object(fitting)),
      // @ts-expect-error a member too many
      () => exactly<Stored>()(object({ ...fitting, more: text() })),
      // @ts-expect-error a member that may be absent, and may not
      () => exactly<Stored>()(object({ ...fitting, status: optional(oneOf(['settled', 'failed'])) })),
      // @ts-expect-error a member too many, which may be absent
      () => exactly<Stored>()(object({ ...fitting, more: optional(text()) })),
      // @ts-expect-error a value of a closed set is missing
      () => exactly<Stored>()(object({ ...fitting, status: oneOf(['settled']) })),
      // @ts-expect-error a value too many
      () => exactly<Stored>()(object({ ...fitting, status: oneOf(['settled', 'failed', 'pending']) })),
      // @ts-expect-error null where there is none
      () => exactly<Stored>()(object({ ...fitting, runId: nullable(uuid()) })),
      // @ts-expect-error no null where there is
      () => exactly<Stored>()(object({ ...fitting, count: integer() })),
    ];
    expect(drifts).toHaveLength(8);
  });
});
