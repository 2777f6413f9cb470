import { constant, instant, integer, shape, text, uuid } from '@app/http';

/** What every event's payload begins with. */
function headOf<const Type extends string>(type: Type) {
  return { type: constant(type), at: instant({ description: 'By the service clock, when it was recorded' }) };
}

/**
 * The schema of a payload, under a name made of its type: `RunStarted` for `run.started`.
 * @param summary what the event says, in one sentence, for the documents
 */
export function payload<const Type extends string, Members extends Parameters<typeof shape>[1]>(
  type: Type,
  summary: string,
  members: Members,
) {
  const name = type.replaceAll(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return shape(name, { ...headOf(type), ...members }, { description: summary });
}

/** Members that several payloads have, spelled alike. */
export const runId = uuid();
export const segment = integer({ min: 1, description: 'One more at each continuation after approvals' });
export const toolName = text({ min: 1 });
export const toolCallId = text({
  pattern: /^[0-9a-f-]{36}\/[1-9][0-9]*\/[0-9]+$/,
  description: '`runId/step/index`; the same in `tool.called` and `tool.returned`',
});
