import { parsedJson } from '@app/kernel';
import { Rule } from '@app/runtime';
import { Ajv2020 } from 'ajv/dist/2020';

/**
 * Parses the JSON of a variable, which must fit a schema.
 * @param rule the beginning of the message for JSON that does not
 * @throws Rule with Ajv's message, which names rules and never values, because these may be secrets
 */
export function fittingJson<Given>(json: string, schema: object, rule: string): Given {
  const isValid = new Ajv2020({ strict: false }).compile<Given>(schema);
  const given = parsedJson(json);
  if (isValid(given)) return given;
  const { instancePath = '', message = '' } = isValid.errors?.[0] ?? {};
  throw new Rule(`${rule}: ${instancePath.slice(0, 100)} ${message}`);
}
