import { appendFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { closed } from './closed-schema';
import { answersFile } from '../answers/answers-file';
import { headersFault } from './declared-headers';

/**
 * Holds every answer that a suite gets by `fetch` against the OpenAPI document that the very service publishes, strictly: a member,
 * a status, a reason or a header that is not documented fails the test that got it. Answers of services that were not named here pass unseen.
 */

/** By origin, the document of the service there. */
const documents = new Map<string, PublishedDocument>();
const unwatched = globalThis.fetch;

/** From now on, answers of the services at these base URLs are checked. All of them serve the same document. */
export async function watchAnswers(baseUrls: readonly string[]): Promise<void> {
  const [first] = baseUrls;
  if (first === undefined) return;
  const response = await unwatched(`${first}/openapi.json`);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${first}/openapi.json answered ${response.status}: ${text}`);
  const known = [...documents.values()].find((document) => document.text === text);
  for (const baseUrl of baseUrls) documents.set(new URL(baseUrl).origin, known ?? new PublishedDocument(text));
  globalThis.fetch = watchedFetch;
}

const watchedFetch: typeof fetch = async (input, init) => {
  const response = await unwatched(input, init);
  const request = input instanceof Request ? input : null;
  const url = new URL(input instanceof Request ? input.url : input);
  const document = documents.get(url.origin);
  if (document === undefined) return response;
  const method = (init?.method ?? request?.method ?? 'GET').toLowerCase();
  const answer = { method, path: url.pathname, status: response.status, body: await jsonOf(response) };
  const fault = document.faultOf(answer, response.headers);
  if (fault !== null) {
    throw new Error(
      `${method.toUpperCase()} ${url.pathname} answered what is not documented: ${fault}\n${show(answer.body)}`,
    );
  }
  return response;
};

interface ReceivedAnswer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Undefined when it is no JSON. */
  readonly body: JsonValue | undefined;
}

/** The body, when it is JSON; the response itself stays to be read. */
async function jsonOf(response: Response): Promise<JsonValue | undefined> {
  if (!/^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '')) return undefined;
  try {
    // Reason for the assertion: whatever JSON.parse makes is JSON.
    return JSON.parse(await response.clone().text()) as JsonValue;
  } catch {
    // Cut off on its way, by a kill or by the test itself: whoever reads the response meets the same error.
    return undefined;
  }
}

function show(body: JsonValue | undefined): string {
  return body === undefined ? '' : JSON.stringify(body, null, 1).slice(0, 4_000);
}

interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  readonly pattern: RegExp;
  readonly responses: JsonObject;
  /** By status, what its problems can name. */
  readonly reasons: JsonObject;
}

class PublishedDocument {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: false });
  private readonly operations: readonly DocumentedOperation[];
  private readonly shared: JsonObject;
  private readonly headers: JsonObject;
  private readonly checks = new Map<object, ValidateFunction>();

  constructor(readonly text: string) {
    addFormats.default(this.ajv);
    // Reason for the assertion: a document that is no object has no `paths`, which fails below.
    const document = JSON.parse(text) as JsonObject;
    this.ajv.addSchema(closed(document), 'openapi');
    this.operations = operationsOf(document);
    const components = isJsonObject(document['components']) ? document['components'] : {};
    this.shared = isJsonObject(components['responses']) ? components['responses'] : {};
    this.headers = isJsonObject(components['headers']) ? components['headers'] : {};
  }

  /** What is wrong with an answer, or null. */
  faultOf(answer: ReceivedAnswer, headers: Headers): string | null {
    if (headers.get('x-request-id') === null) return 'there is no X-Request-Id';
    const operation = this.operations.find(
      ({ method, pattern }) => method === routed(answer.method) && pattern.test(answer.path),
    );
    if (operation === undefined) return unroutedFault(answer);
    appendFileSync(answersFile(), `${operation.id} ${answer.status}\n`);
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

  /** A response, or the shared one that it refers to. */
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

/** All problems are of one schema; which reason comes with which status the operation says. */
function problemFault({ status, body }: ReceivedAnswer, { id, reasons }: DocumentedOperation): string | null {
  if (!isJsonObject(body) || typeof body['requestId'] !== 'string') return null;
  const { reason } = body;
  if (body['status'] !== status) return `${id} answered ${status}, and its problem says ${show(body['status'])}`;
  const named = reasons[status];
  if (!Array.isArray(named)) return `${id} names no reasons for ${status}`;
  if (reason === undefined) return status === 401 || named.length === 0 ? null : `${id} gave no reason for ${status}`;
  return named.includes(reason) ? null : `${id} does not document ${show(reason)} for ${status}`;
}

/** HEAD is answered as GET is, and described by it. */
function routed(method: string): string {
  return method === 'head' ? 'get' : method;
}

/** A path or method that no operation has answers 404 or 405, as a bare problem; under `/v1` after the credentials were checked. */
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
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    const reasons = isJsonObject(operation['x-reasons']) ? operation['x-reasons'] : {};
    return { id: nameOf(operation), method, pattern, responses: operation['responses'], reasons };
  });
}

function nameOf({ operationId }: JsonObject): string {
  if (typeof operationId !== 'string') throw new Error('an operation has no operationId');
  return operationId;
}
