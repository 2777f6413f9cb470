import { STATUS_CODES } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type DtoClass, nameOf, type Schema } from '@app/schema';
import { NoBody } from './dto';
import { SchemaComponents } from './openapi-components';
import { headersIn, headersOf } from './openapi-headers';
import { openedSchemas } from './openapi-open';
import { isList, parametersOf, showParameter } from './openapi-parameters';
import { problemResponses, problemShape, reasonsOf, ResponseComponents } from './openapi-problems';
import { rangeAnswerHeaders, rangeAnswers } from './openapi-ranges';
import { documentHead, securityOf, tagOf } from './openapi-words';
import type { OperationPlan, OperationReference, RawAnswer, RawBody } from './operation';
import type { RoutedOperation } from './routed-operations';

export interface DocumentOptions {
  /** Where the described service is reached. */
  readonly baseUrl: string;
  /** Whether `/v1` carries `Deprecation` (specification, "Versioning", rule 6). */
  readonly deprecated: boolean;
}

/**
 * The OpenAPI 3.1 document of these operations: their routes, DTOs and reasons as the service itself enforces them, so that
 * document and service cannot disagree. @throws Error for two operations of one name, and for two schemas of one
 */
export function openApiDocument(operations: readonly RoutedOperation[], options: DocumentOptions): JsonObject {
  const parts: DocumentParts = { components: new SchemaComponents(), shared: new ResponseComponents(), options };
  parts.components.refer(problemShape);
  const names = new Set<string>();
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    const { plan, path, method, area } = operation;
    if (names.has(plan.operation)) throw new Error(`two operations are named ${plan.operation}`);
    names.add(plan.operation);
    const item = (paths[path] ??= {});
    item[method] = {
      ...describe(operation, parts),
      ...(options.deprecated && area === 'partner' && { deprecated: true }),
    };
  }
  return {
    ...documentHead(options.baseUrl, [...names]),
    paths,
    components: componentsOf(parts, Object.values(paths).flatMap(Object.values<JsonObject>)),
  };
}

interface DocumentParts {
  readonly components: SchemaComponents;
  readonly shared: ResponseComponents;
  readonly options: DocumentOptions;
}

function componentsOf({ components, shared, options }: DocumentParts, operations: readonly JsonObject[]): JsonObject {
  const { responses } = shared;
  const answers = [responses, ...operations.map((operation) => operation['responses'] ?? null)];
  const requests = operations.flatMap(({ requestBody, parameters }) => [requestBody ?? null, parameters ?? null]);
  return {
    headers: headersIn(options.deprecated),
    responses,
    schemas: openedSchemas(components.schemas, answers, requests),
    securitySchemes: securityOf.schemes,
  };
}

function describe(operation: RoutedOperation, { components, shared, options }: DocumentParts): JsonObject {
  const { plan, area } = operation;
  const { reference } = plan;
  const body = bodyOf(operation, components);
  const causes = reasonsOf(operation, isList(operation, components));
  return {
    operationId: plan.operation,
    tags: [tagOf(plan.operation)],
    summary: reference.summary,
    ...describedAs(plan),
    security: securityOf.area(area, reference.signed === true),
    parameters: parametersOf(operation, components),
    ...(body !== null && { requestBody: body }),
    responses: {
      ...successes(operation, components, options.deprecated),
      ...problemResponses(operation, causes, shared, options.deprecated),
    },
    'x-reasons': Object.fromEntries(causes),
  };
}

function describedAs({ reference: { description }, weight }: OperationPlan): JsonObject {
  const rate = weight === 1 ? [] : [`Counts as ${weight} requests in the user's rate.`];
  const all = [...(description === undefined ? [] : [description]), ...rate];
  return all.length === 0 ? {} : { description: all.join(' ') };
}

function bodyOf({ plan }: RoutedOperation, components: SchemaComponents): JsonObject | null {
  const taken: OperationReference['takes'] | 'unchecked' = plan.reference.takes ?? plan.bodyDto;
  if (taken === 'unchecked' || taken === NoBody) return null;
  if (isRawBody(taken))
    return {
      required: true,
      description: taken.bytes,
      content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    };
  const schema = isDto(taken) ? components.referDto(taken) : components.refer(taken);
  const example = plan.reference.requestExample;
  const isRequired = isDto(taken)
    ? components.membersOf(taken).some(({ required }) => required)
    : taken['required'] !== undefined || taken['type'] !== 'object';
  return { required: isRequired, content: jsonContent(schema, example) };
}

/** What an operation answers where nothing is refused, by status. */
function successes(operation: RoutedOperation, components: SchemaComponents, deprecated: boolean): JsonObject {
  const { reference } = operation.plan;
  const headers = {
    ...headersOf(operation, deprecated),
    ...ownHeaders(reference, components),
    ...(reference.ranged && rangeAnswerHeaders),
  };
  const first = success(operation, components, headers);
  const others = Object.entries(reference.otherAnswers ?? {}).map(([status, schema]) => {
    const description = STATUS_CODES[status] ?? status;
    return [status, { description, headers, content: jsonContent(components.refer(schema)) }] as const;
  });
  return {
    [operation.status]: first,
    ...(reference.ranged && rangeAnswers(first)),
    ...(reference.redirects !== undefined && {
      307: {
        description: reference.redirects,
        headers: headersOf(operation, deprecated, { Location: 'Location' }),
      },
    }),
    ...Object.fromEntries(others),
  };
}

function success(operation: RoutedOperation, components: SchemaComponents, headers: JsonObject): JsonObject {
  const { answer, answerExample } = operation.plan.reference;
  const response = { description: STATUS_CODES[operation.status] ?? '', headers };
  if (answer === null) return response;
  if (isRawAnswer(answer)) {
    const schema = { type: 'string', ...(answer.binary === true && { format: 'binary' }) };
    return { ...response, description: answer.description, content: { [answer.mediaType]: { schema } } };
  }
  return { ...response, content: jsonContent(components.refer(answer), answerExample) };
}

function ownHeaders({ answerHeaders = {} }: OperationReference, components: SchemaComponents): JsonObject {
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

function isRawBody(taken: DtoClass | Schema | RawBody): taken is RawBody {
  return isJsonObject(taken) && typeof taken['bytes'] === 'string' && nameOf(taken) === null;
}

function isRawAnswer(answer: Schema | RawAnswer): answer is RawAnswer {
  return typeof Reflect.get(answer, 'mediaType') === 'string';
}
