import { STATUS_CODES } from 'node:http';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { NoBody, type DtoClass } from './dto';
import { SchemaComponents } from './openapi-components';
import { answerHeaders, problemResponses, problemShape, ResponseComponents } from './openapi-problems';
import { documentHead, headers, pathWords, securityOf, tagOf } from './openapi-words';
import { rangeAnswerHeaders, rangeAnswers, rangeRequestHeaders } from './openapi-ranges';
import type { OperationPlan, OperationReference, RawAnswer, RawBody } from './operation';
import type { RoutedOperation } from './routed-operations';
import { nameOf, type Schema } from './schema';

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
  const components = new SchemaComponents();
  components.refer(problemShape);
  const shared = new ResponseComponents();
  const names = new Set<string>();
  const paths: Record<string, Record<string, JsonValue>> = {};
  for (const operation of operations) {
    const { plan, path, method, area } = operation;
    if (names.has(plan.operation)) throw new Error(`two operations are named ${plan.operation}`);
    names.add(plan.operation);
    const item = (paths[path] ??= {});
    item[method] = {
      ...describe(operation, components, shared),
      ...(options.deprecated && area === 'partner' && { deprecated: true }),
    };
  }
  return {
    ...documentHead(options.baseUrl, [...names]),
    paths,
    components: { ...documentComponents, responses: shared.responses, schemas: components.schemas },
  };
}

const documentComponents = { headers, securitySchemes: securityOf.schemes };

function describe(operation: RoutedOperation, components: SchemaComponents, shared: ResponseComponents): JsonObject {
  const { plan, area } = operation;
  const { reference } = plan;
  const query = plan.queryDto === 'unchecked' ? [] : components.membersOf(plan.queryDto);
  const body = bodyOf(operation, components);
  const isList = query.some(({ name }) => name === 'cursor' && plan.operation !== 'conversations.stream');
  return {
    operationId: plan.operation,
    tags: [tagOf(plan.operation)],
    summary: reference.summary,
    ...describedAs(plan),
    security: securityOf.area(area, reference.signed === true),
    parameters: [
      ...pathParameters(operation),
      ...query.map(({ name, required, schema }) => ({ name, in: 'query', required, ...described(schema) })),
      ...Object.entries({ ...reference.headers, ...(reference.ranged && rangeRequestHeaders) }).map(
        ([name, schema]) => {
          return { name, in: 'header', required: reference.signed === true, ...described(components.refer(schema)) };
        },
      ),
    ],
    ...(body !== null && { requestBody: body }),
    responses: {
      [operation.status]: success(operation, components),
      ...(reference.ranged && rangeAnswers(success(operation, components))),
      ...Object.fromEntries(
        Object.entries(reference.otherAnswers ?? {}).map(([status, schema]) => [
          status,
          { description: STATUS_CODES[status] ?? status, content: jsonContent(components.refer(schema)) },
        ]),
      ),
      ...problemResponses(operation, isList, shared),
    },
  };
}

function describedAs({ reference: { description }, weight }: OperationPlan): JsonObject {
  const rate = weight === 1 ? [] : [`Counts as ${weight} requests in the user's rate.`];
  const all = [...(description === undefined ? [] : [description]), ...rate];
  return all.length === 0 ? {} : { description: all.join(' ') };
}

/** A parameter's description stands beside its schema. */
function described({ description, ...schema }: JsonObject): JsonObject {
  return { ...(description !== undefined && { description }), schema };
}

function pathParameters({ path, area }: RoutedOperation): JsonObject[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const isId = name.endsWith('Id') && area === 'partner';
    return {
      ...{ name, in: 'path', required: true, description: pathWords(name) },
      schema: { type: 'string', ...(isId && { format: 'uuid' }) },
    };
  });
}

function bodyOf({ plan }: RoutedOperation, components: SchemaComponents): JsonObject | null {
  const taken: OperationReference['takes'] | 'unchecked' = plan.reference.takes ?? plan.bodyDto;
  if (taken === 'unchecked' || taken === NoBody) return null;
  if (isRawBody(taken))
    return { required: true, description: taken.bytes, content: { 'application/octet-stream': {} } };
  const schema = isDto(taken) ? components.referDto(taken) : components.refer(taken);
  const example = plan.reference.requestExample;
  const isRequired = isDto(taken)
    ? components.membersOf(taken).some(({ required }) => required)
    : taken['required'] !== undefined || taken['type'] !== 'object';
  return { required: isRequired, content: jsonContent(schema, example) };
}

function success(operation: RoutedOperation, components: SchemaComponents): JsonObject {
  const { answer, answerExample } = operation.plan.reference;
  const own = {
    ...(operation.area === 'partner' && rateHeaders),
    ...(operation.plan.reference.ranged && rangeAnswerHeaders),
  };
  const response = { description: STATUS_CODES[operation.status] ?? '', headers: { ...answerHeaders, ...own } };
  if (answer === null) return response;
  if (isRawAnswer(answer)) {
    return {
      ...response,
      description: answer.description,
      content: { [answer.mediaType]: { schema: { type: 'string' } } },
    };
  }
  return { ...response, content: jsonContent(components.refer(answer), answerExample) };
}

const rateHeaders: JsonObject = {
  RateLimit: { $ref: '#/components/headers/RateLimit' },
  'RateLimit-Policy': { $ref: '#/components/headers/RateLimitPolicy' },
};

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
