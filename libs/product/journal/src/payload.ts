import { constant, instant, integer, shape, text, uuid, type Schema } from '@app/schema';

type Members = Parameters<typeof shape>[1];

/** What every event's payload begins with. */
type Head<Type extends string> = { readonly type: Schema<Type>; readonly at: Schema<string> };

/**
 * The schema of a payload, under a name made of its type: `RunStarted` for `run.started`.
 * @param summary what the event says, in one sentence, for the documents
 */
export function payload<const Type extends string, Own extends Members>(
  type: Type,
  summary: string,
  members: Own,
): ReturnType<typeof shape<Head<Type> & Own>> {
  const name = type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const at = instant({ description: 'By the service clock, when it was recorded' });
  return shape<Head<Type> & Own>(name, { type: constant(type), at, ...members }, { description: summary });
}

/** Members that several payloads have, spelled alike. */
export const runId = uuid();
export const segment = integer({ min: 1, description: 'One more at each continuation after approvals' });
export const toolName = text({ min: 1 });
export const toolCallId = text({
  pattern: /^[0-9a-f-]{36}\/[1-9][0-9]*\/[0-9]+$/,
  description: '`runId/step/index`; the same in `tool.called` and `tool.returned`',
});
