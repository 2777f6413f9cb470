import type { Api, UntypedCall } from './api.js';
import { Call } from './call.js';
import { List } from './list.js';
import type { FeedFrame, FeedInput } from './feed.js';
import type { StreamOptions } from './journal.js';
import type { FollowOptions } from './stream.js';
import type { CallAnswer, JournalFrame, PageOf } from './types.js';

/** Options of every method, in addition to its input. */
export interface CallOptions {
  /** Ends the call, also between two attempts; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Headers to send with the request, such as your own `X-Request-Id`. */
  readonly headers?: HeadersInit | undefined;
}

/** Types that can be sent as the content of a file. */
export type Bytes = string | Blob | ArrayBuffer | ArrayBufferView;

export type FollowInput = Pick<StreamOptions, 'conversationId' | 'after'> & {
  /** Owner of the conversation; the client's own user by default: see `userId` of `ParleyClientOptions` */
  readonly userId?: string | undefined;
};

/** The streams that the client keeps reading across connections. */
export interface Streams {
  readonly journal: (options: StreamOptions) => AsyncGenerator<JournalFrame, void>;
  readonly feed: (input: FeedInput, options: FollowOptions) => AsyncGenerator<FeedFrame, void>;
}

/** An operation as the service's OpenAPI document describes it. */
export interface Operation {
  readonly id: string;
  readonly method: keyof Api;
  readonly path: string;
  /** The members of the input that go into the query; for a call without a body, all that the path does not take. */
  readonly query?: readonly string[];
  /** The body: the input's members when absent; `bytes`: `content` and `contentType`; `whole`: `body`. */
  readonly body?: 'bytes' | 'whole';
}

/** The calls behind the methods of the resources, without their names and types. */
export class Calls {
  /** @param userId the client's own user; undefined if not known yet */
  constructor(
    private readonly api: Api,
    private readonly streams: Streams,
    private userId: string | undefined,
  ) {}

  value<Value>(operation: Operation, input: object, options?: CallOptions): Call<Value> {
    return new Call(this.send<Value>(operation, input, options, 'json'));
  }

  nothing(operation: Operation, input: object, options?: CallOptions): Call<void> {
    return new Call(this.send(operation, input, options, 'json'));
  }

  bytes(operation: Operation, input: object, options?: CallOptions): Call<Uint8Array> {
    const sent = this.send<ArrayBuffer>(operation, input, options, 'arrayBuffer');
    return new Call(sent.then(({ data, response }) => ({ data: new Uint8Array(data), response })));
  }

  list<Item, Page extends PageOf<Item>>(operation: Operation, input: object, options?: CallOptions): List<Item, Page> {
    return new List(operation.id, (cursor) =>
      this.value(operation, { ...input, ...(cursor !== undefined && { cursor }) }, options),
    );
  }

  /** Ends without an error when the signal aborts. */
  async *follow(input: FollowInput, options: FollowOptions = {}): AsyncGenerator<JournalFrame, void> {
    try {
      const userId = await this.user(input.userId, options.signal);
      yield* this.streams.journal({ ...input, ...options, userId });
    } catch (error) {
      if (options.signal?.aborted !== true) throw error;
    }
  }

  /** Ends without an error when the signal aborts. */
  followFeed(input: FeedInput, options: FollowOptions = {}): AsyncGenerator<FeedFrame, void> {
    return this.streams.feed(input, options);
  }

  private async send<Value>(
    operation: Operation,
    input: object,
    options: CallOptions = {},
    parseAs: 'json' | 'arrayBuffer',
  ): Promise<CallAnswer<Value>> {
    const { method, path, id } = operation;
    const given: Record<string, unknown> = { ...input };
    if (path.includes('{userId}')) given['userId'] = await this.user(given['userId'], options.signal);
    // Reason for the assertion: the types are checked at the generated method, which fixes operation and input.
    const call = this.api[method] as unknown as UntypedCall;
    const { data, response } = await call(path, { ...requestOf(operation, given, options), parseAs });
    if (namesTheUser(id, data)) this.userId ??= data.userId;
    // Reason for the assertion: the service's contract defines the operation's answer.
    return { data: data as Value, response };
  }

  /** Returns the user of a call: the one given, or the client's own, which is requested if unknown. */
  private async user(named: unknown, signal: AbortSignal | undefined): Promise<string> {
    if (typeof named === 'string') return named;
    if (named !== undefined && named !== null) throw new TypeError('userId is no text');
    if (this.userId !== undefined) return this.userId;
    const { data } = await this.api.GET('/v1/users/me', { signal: signal ?? null });
    return (this.userId ??= data.userId);
  }
}

function namesTheUser(id: string, data: unknown): data is { readonly userId: string } {
  if (id !== 'users.ensure' && id !== 'users.me') return false;
  return typeof data === 'object' && data !== null && 'userId' in data && typeof data.userId === 'string';
}

/** Sorts an input into path, query and body. Members that are undefined are left out. */
function requestOf(operation: Operation, input: Record<string, unknown>, { signal, headers }: CallOptions): object {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (names: readonly string[]): object =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = left.get(name);
        return left.delete(name) ? [[name, value]] : [];
      }),
    );
  const pathNames = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const path = take(pathNames);
  const isRead = operation.method === 'GET' || operation.method === 'DELETE';
  const query = take(isRead ? [...left.keys()] : (operation.query ?? []));
  const body = bodyOf(operation, left);
  return {
    params: { path, query },
    headers: operation.body === 'bytes' ? withMediaType(headers, left.get('contentType'), body) : headers,
    ...(signal !== undefined && { signal }),
    ...(body !== undefined && { body }),
  };
}

/** Sets a file's media type: the given one, the headers', the Blob's own, or `application/octet-stream`. */
function withMediaType(headers: HeadersInit | undefined, said: unknown, content: unknown): Headers {
  const all = new Headers(headers);
  const known = content instanceof Blob ? content.type : '';
  if (typeof said === 'string') all.set('content-type', said);
  else if (!all.has('content-type')) all.set('content-type', known || 'application/octet-stream');
  return all;
}

function bodyOf({ body }: Operation, members: ReadonlyMap<string, unknown>): unknown {
  if (body === 'bytes') return members.get('content');
  if (body === 'whole') return members.get('body');
  return members.size === 0 ? undefined : Object.fromEntries(members);
}
