import { STATUS_CODES } from 'node:http';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { DtoClass, Schema } from '@app/schema';
import { SchemaComponents } from './openapi-components';
import { headersIn, headersOf } from './openapi-headers';
import { openedSchemas } from './openapi-open';
import { isList, parametersOf, showParameter } from './openapi-parameters';
import { problemResponses, problemShape, reasonsOf, ResponseComponents } from './openapi-problems';
import { rangeAnswerHeaders, rangeAnswers } from './openapi-ranges';
import { documentHead, securityOf, tagOf, type ApiDescription } from './openapi-words';
import { isRawAnswer, type Body, type Contract } from '../operation/operation';
import { listedPath } from '../operation/path-names';

export interface DocumentOptions {
  readonly about: ApiDescription;
  /** The URL under which the described service is reached. */
  readonly baseUrl: string;
  /** Whether `/v1` carries `Deprecation` (specification, "Versioning", rule 6). */
  readonly deprecated: boolean;
}

/**
 * Returns the OpenAPI 3.1 document of these contracts, which the service itself enforces, so that document and service cannot disagree.
 * @throws Error for two operations or two schemas of the same name, and for an operation without a group
 */
export function openApiDocument(contracts: readonly Contract[], options: DocumentOptions): JsonObject {
  const parts: DocumentParts = { components: new SchemaComponents(), shared: new ResponseComponents(), options };
  parts.components.refer(problemShape);
  const names = new Set<string>();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const contract of contracts) {
    const { operation, method, area } = contract;
    if (names.has(operation)) throw new Error(`two operations are named ${operation}`);
    names.add(operation);
    const item = (paths[listedPath(contract.path)] ??= {});
    item[method.toLowerCase()] = {
      ...describe(contract, parts),
      ...(options.deprecated && area === 'partner' && { deprecated: true }),
    };
  }
  return {
    ...documentHead(options.baseUrl, options.about, [...names]),
    paths,
    components: componentsOf(parts, Object.values(paths).flatMap(Object.values<JsonObject>)),
  };
}

interface DocumentParts {
  readonly components: SchemaComponents;
  readonly shared: ResponseComponents;
  readonly options: DocumentOptions;
}

function componentsOf({ components, shared }: DocumentParts, operations: readonly JsonObject[]): JsonObject {
  const { responses } = shared;
  const answers = [responses, ...operations.map((operation) => operation['responses'] ?? null)];
  const requests = operations.flatMap(({ requestBody, parameters }) => [requestBody ?? null, parameters ?? null]);
  return {
    headers: headersIn(answers),
    responses,
    schemas: openedSchemas(components.schemas, answers, requests),
    securitySchemes: securityOf.schemesOf(operations),
  };
}

function describe(contract: Contract, { components, shared, options }: DocumentParts): JsonObject {
  const { operation, summary, beyondSpecification } = contract;
  const body = bodyOf(contract, components);
  const causes = reasonsOf(contract, isList(contract, components));
  return {
    operationId: operation,
    tags: [tagOf(operation)],
    summary,
    ...descriptionOf(contract),
    security: securityOf.contract(contract),
    parameters: parametersOf(contract, components),
    ...(body !== null && { requestBody: body }),
    responses: {
      ...successes(contract, components, options.deprecated),
      ...problemResponses(contract, causes, shared, options.deprecated),
    },
    'x-reasons': Object.fromEntries(causes),
    ...(beyondSpecification !== undefined && { 'x-beyond-specification': beyondSpecification }),
  };
}

function descriptionOf({ description, weight = 1 }: Contract): JsonObject {
  const rate = weight === 1 ? [] : [`Counts as ${weight} requests in the user's rate.`];
  const all = [...(description === undefined ? [] : [description]), ...rate];
  return all.length === 0 ? {} : { description: all.join(' ') };
}

function bodyOf({ body, examples }: Contract, components: SchemaComponents): JsonObject | null {
  if (body === undefined || body === 'none') return null;
  const json = jsonOf(body);
  if (typeof json === 'string')
    return {
      required: true,
      description: json,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  const schema = isDto(json) ? components.referDto(json) : components.refer(json);
  const isRequired = isDto(json)
    ? components.membersOf(json).some(({ required }) => required)
    : json['required'] !== undefined || json['type'] !== 'object';
  return { required: isRequired, content: jsonContent(schema, examples?.body) };
}

/** The schema of a JSON body; for any other body, its description in words. */
function jsonOf(body: Body): DtoClass | Schema | string {
  if (typeof body === 'function') return body;
  if ('stream' in body) return body.stream;
  return 'bytes' in body ? body.bytes : body.readByHandler;
}

/** The answers of an operation that are not problems, by status. */
function successes(contract: Contract, components: SchemaComponents, deprecated: boolean): JsonObject {
  const { status, ranged, redirects, otherAnswers = {} } = contract;
  const headers = {
    ...headersOf(contract, deprecated),
    ...ownHeaders(contract, components),
    ...(ranged && rangeAnswerHeaders),
  };
  const first = success(contract, components, headers);
  const others = Object.entries(otherAnswers).map(([code, schema]) => {
    const description = STATUS_CODES[code] ?? code;
    return [code, { description, headers, content: jsonContent(components.refer(schema)) }] as const;
  });
  return {
    [status]: first,
    ...(ranged && rangeAnswers(first)),
    ...(redirects !== undefined && {
      307: {
        description: redirects,
        headers: headersOf(contract, deprecated, { Location: 'Location' }),
      },
    }),
    ...Object.fromEntries(others),
  };
}

function success(
  { status, answer, examples }: Contract,
  components: SchemaComponents,
  headers: JsonObject,
): JsonObject {
  const response = { description: STATUS_CODES[status] ?? '', headers };
  if (answer === null) return response;
  if (isRawAnswer(answer)) {
    const schema = { type: 'string', ...(answer.binary === true && { format: 'binary' }) };
    return { ...response, description: answer.description, content: { [answer.mediaType]: { schema } } };
  }
  return { ...response, content: jsonContent(components.refer(answer), examples?.answer) };
}

function ownHeaders({ answerHeaders = {} }: Contract, components: SchemaComponents): JsonObject {
  return Object.fromEntries(
    Object.entries(answerHeaders).map(([name, schema]) => [name, showParameter(name, components.refer(schema))]),
  );
}

function jsonContent(schema: JsonObject, example?: JsonValue): JsonObject {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

function isDto(taken: DtoClass | Schema): taken is DtoClass {
  return typeof taken === 'function';
}
