import createClient from 'openapi-fetch';
import type { paths } from './generated/openapi.js';
import { withClientMadeId, isRepeatable } from './repeatable.js';
import type { Transport } from './transport.js';
import type { CallMethod } from './types.js';

/** Every operation by method and path, typed. A failed call rejects with `ParleyProblem` or `ParleyUnreachable`. */
export interface Api {
  readonly GET: CallMethod<'get'>;
  readonly POST: CallMethod<'post'>;
  readonly PUT: CallMethod<'put'>;
  readonly PATCH: CallMethod<'patch'>;
  readonly DELETE: CallMethod<'delete'>;
}

/** The common shape of the calls, without their types. */
interface UntypedOptions {
  readonly params?: { readonly path?: Readonly<Record<string, unknown>> };
  readonly body?: unknown;
  readonly parseAs?: string;
  readonly headers?: HeadersInit;
}
export type UntypedCall = (path: string, options?: object) => Promise<{ data: unknown; response: Response }>;

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function createApi(baseUrl: string, transport: Transport): Api {
  const client = createClient<paths>({ baseUrl, bodySerializer: serialize });
  const calls = methods.map((method) => {
    const call: UntypedCall = async (path, options = {}) => {
      // Reason for the assertion: the typed signature of this call, `CallMethod`, accepts nothing else.
      const given = withClientMadeId(method, path, options as UntypedOptions);
      checkPathIds(`${method} ${path}`, path, given.params?.path ?? {});
      const traits = {
        repeatable: isRepeatable(method, path),
        expectsJson: (given.parseAs ?? 'json') === 'json',
        forUser: path.startsWith('/v1/'),
      };
      const fetch = (request: Request): Promise<Response> => transport.send(request, traits);
      // Reason for the assertion: openapi-fetch's own type needs a literal path; the typed signature has checked it.
      const untyped = client[method] as unknown as UntypedCall;
      const { data, response } = await untyped(path, { ...given, fetch });
      return { data, response };
    };
    return [method, call] as const;
  });
  // Reason for the assertion: there is one call for each method of `Api`, whose types only describe the same arguments
  // more closely.
  return Object.fromEntries(calls) as unknown as Api;
}

/** Bytes and texts are sent unchanged, everything else as JSON. */
function serialize(body: unknown): BodyInit {
  if (typeof body === 'string' || body instanceof Blob || body instanceof ArrayBuffer) return body;
  // Reason for the assertion: fetch itself refuses a view of shared memory.
  if (ArrayBuffer.isView(body)) return body as ArrayBufferView<ArrayBuffer>;
  return JSON.stringify(body);
}

/** Throws a TypeError when an id of the path is missing, or is `.` or `..`, which a URL resolves as a step in the path. */
function checkPathIds(call: string, path: string, given: Readonly<Record<string, unknown>>): void {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value = given[name];
    const isGiven = typeof value === 'number' || (typeof value === 'string' && value !== '');
    if (!isGiven) throw new TypeError(`${call}: ${name} is missing`);
    if (value === '.' || value === '..') throw new TypeError(`${call}: ${name} cannot be ${JSON.stringify(value)}`);
  }
}
