import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { closed } from './closed-schema';
import { headersFault } from './declared-headers';

/**
 * Cached, because compiling the schemas takes a second. A worker of jest evaluates this module once
 * (test/support/shared-runtime.cjs).
 */
const known = new Map<string, PublishedDocument>();
/** Suites with another configuration publish another document; beyond this number the oldest is dropped. */
const knownMax = 8;

/** @param text an OpenAPI document as a service answers it */
export function publishedDocument(text: string): PublishedDocument {
  const document = known.get(text) ?? new PublishedDocument(text);
  known.delete(text);
  known.set(text, document);
  const [oldest] = known.keys();
  if (known.size > knownMax && oldest !== undefined) known.delete(oldest);
  return document;
}

/** Returns a body in the form in which a message shows it. */
export function show(body: JsonValue | undefined): string {
  return body === undefined ? '' : JSON.stringify(body, null, 1).slice(0, 4_000);
}

/** An answer that was received over HTTP. */
export interface ReceivedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: JsonValue | undefined;
}

interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly responses: JsonObject;
  /** The reasons that its problems can have, by status. */
  readonly reasons: JsonObject;
}

/** The fault of an answer, or null; and the operation that answered, if the request was routed to one. */
interface Checked {
  readonly operationId: string | null;
  readonly fault: string | null;
}

/** An OpenAPI document, prepared for checking answers. */
export class PublishedDocument {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false });
  private readonly operations: readonly DocumentedOperation[];
  private readonly shared: JsonObject;
  private readonly headers: JsonObject;
  private readonly checks = new Map<object, ValidateFunction>();

  constructor(text: string) {
    addFormats.default(this.ajv);
    // Reason for the assertion: a document that is no object has no `paths`, which fails below.
    const document = JSON.parse(text) as JsonObject;
    this.ajv.addSchema(closed(document), 'openapi');
    this.operations = operationsOf(document);
    const components = isJsonObject(document['components']) ? document['components'] : {};
    this.shared = isJsonObject(components['responses']) ? components['responses'] : {};
    this.headers = isJsonObject(components['headers']) ? components['headers'] : {};
  }

  check(answer: ReceivedAnswer, headers: Headers): Checked {
    if (headers.get('x-request-id') === null) return { operationId: null, fault: 'there is no X-Request-Id' };
    const operation = this.operationAt(answer.method, answer.path);
    if (operation === undefined) return { operationId: null, fault: unroutedFault(answer) };
    return { operationId: operation.id, fault: this.faultOf(operation, answer, headers) };
  }

  /** Whether one of its operations has this method and path. */
  lists(method: string, path: string): boolean {
    return this.operationAt(method, path) !== undefined;
  }

  private operationAt(asked: string, path: string): DocumentedOperation | undefined {
    return this.operations.find(({ method, pattern }) => method === routed(asked) && pattern.test(path));
  }

  private faultOf(operation: DocumentedOperation, answer: ReceivedAnswer, headers: Headers): string | null {
    const response = this.resolved(operation.responses[answer.status]);
    if (!isJsonObject(response)) return `${operation.id} does not document ${answer.status}`;
    const fits = (schema: JsonObject, value: JsonValue): boolean => this.checkOf(schema)(value);
    const undeclared = headersFault(headers, response, this.headers, fits);
    if (undeclared !== null) return `${operation.id} ${answer.status} ${undeclared}`;
    if (answer.body === undefined) return null;
    const [media] = Object.values(isJsonObject(response['content']) ? response['content'] : {});
    if (!isJsonObject(media) || !isJsonObject(media['schema']))
      return `${operation.id} documents no JSON for ${answer.status}`;
    const check = this.checkOf(media['schema']);
    if (!check(answer.body)) return this.ajv.errorsText(check.errors, { dataVar: operation.id });
    return answer.status < 400 ? null : problemFault(answer, operation);
  }

  /** Returns a response, or the shared one that it refers to. */
  private resolved(response: JsonValue | undefined): JsonValue | undefined {
    if (!isJsonObject(response) || typeof response['$ref'] !== 'string') return response;
    return this.shared[response['$ref'].replace('#/components/responses/', '')];
  }

  private checkOf(schema: JsonObject): ValidateFunction {
    const known = this.checks.get(schema);
    if (known !== undefined) return known;
    const check = this.ajv.compile(closed(schema, '#/', 'openapi#/'));
    this.checks.set(schema, check);
    return check;
  }
}

/** All problems have one schema; the operation says which reasons are possible with which status. */
function problemFault({ status, body }: ReceivedAnswer, { id, reasons }: DocumentedOperation): string | null {
  if (!isJsonObject(body) || typeof body['requestId'] !== 'string') return null;
  const { reason } = body;
  if (body['status'] !== status) return `${id} answered ${status}, and its problem says ${show(body['status'])}`;
  const named = reasons[status];
  if (!Array.isArray(named)) return `${id} names no reasons for ${status}`;
  if (reason === undefined) return status === 401 || named.length === 0 ? null : `${id} gave no reason for ${status}`;
  return named.includes(reason) ? null : `${id} does not document ${show(reason)} for ${status}`;
}

/** HEAD is answered like GET, and documented by it. */
function routed(method: string): string {
  return method === 'head' ? 'get' : method;
}

/**
 * A path or method without an operation answers 404 or 405, as a bare problem; under `/v1` after the credentials were
 * checked.
 */
function unroutedFault({ method, status, body }: ReceivedAnswer): string | null {
  const credentials = [400, 401, 403, 404, 405, 429, 503];
  return credentials.includes(status) && (method === 'head' || isJsonObject(body))
    ? null
    : `no operation is documented, and it answered ${status}`;
}

function operationsOf(document: JsonObject): DocumentedOperation[] {
  const paths = isJsonObject(document['paths']) ? document['paths'] : {};
  const found = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).map(([method, operation]) => ({ path, method, operation })),
  );
  // Paths without parameters first: `/users/me` is not a user's id.
  found.sort((one, other) => one.path.split('{').length - other.path.split('{').length);
  return found.map(({ path, method, operation }) => {
    if (!isJsonObject(operation) || !isJsonObject(operation['responses']))
      throw new Error(`${method} ${path} is no operation`);
    const pattern = patternOf(path, operation);
    const reasons = isJsonObject(operation['x-reasons']) ? operation['x-reasons'] : {};
    return { id: nameOf(operation), method, pattern, responses: operation['responses'], reasons };
  });
}

function patternOf(path: string, { parameters }: JsonObject): RegExp {
  const isRest = (name: string) =>
    Array.isArray(parameters) &&
    parameters.some((one: JsonValue) => isJsonObject(one) && one['name'] === name && one['x-rest-of-path'] === true);
  const escaped = path.replaceAll('.', '\\.');
  return new RegExp(`^${escaped.replace(/\{(\w+)\}/g, (_, name: string) => (isRest(name) ? '.+' : '[^/]+'))}$`);
}

function nameOf({ operationId }: JsonObject): string {
  if (typeof operationId !== 'string') throw new Error('an operation has no operationId');
  return operationId;
}
