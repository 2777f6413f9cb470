import type { JsonValue } from '@app/kernel';
import { faultInOutput } from '@app/runs';

const faultLengthMax = 1000;

/** The request to repair an answer; names the fault of the last one. */
export function repairText(answer: string, outputSchema: JsonValue): string {
  return [
    `Your last answer does not satisfy the JSON Schema of the answer: ${faultInOutput(answer, outputSchema).slice(0, faultLengthMax)}.`,
    'Answer again with nothing but one JSON value that satisfies it.',
  ].join(' ');
}
