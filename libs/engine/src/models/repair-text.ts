import { isJsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020 } from 'ajv/dist/2020';

const faultsLengthMax = 1000;

/** Asks for an answer once more and names what is wrong with the last one. */
export function repairText(answer: string, outputSchema: JsonValue): string {
  return [
    `Your last answer does not satisfy the JSON Schema of the answer: ${faultsOf(answer, outputSchema)}.`,
    'Answer again with nothing but one JSON value that satisfies it.',
  ].join(' ');
}

function faultsOf(answer: string, outputSchema: JsonValue): string {
  const parsed = parse(answer);
  if (parsed === null) return 'it is not JSON';
  if (!isJsonObject(outputSchema)) return 'it does not fit';
  const validate = new Ajv2020({ strict: false, meta: false, validateSchema: false, allErrors: true }).compile(
    outputSchema,
  );
  validate(parsed.value);
  const faults = (validate.errors ?? []).map(({ instancePath, message }) =>
    `${instancePath === '' ? 'the value' : instancePath} ${message ?? 'does not fit'}`.trim(),
  );
  return [...new Set(faults)].join('; ').slice(0, faultsLengthMax) || 'it does not fit';
}

function parse(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The caller says so.
    return null;
  }
}
