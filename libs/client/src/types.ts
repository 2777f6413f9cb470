import type { FetchOptions, FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, MediaType, PathsWithMethod } from 'openapi-typescript-helpers';
import type { components, paths } from './generated/openapi.js';

/** Every schema that the service names: `Schemas['Run']`. */
export type Schemas = components['schemas'];

/** The event stream is read with `stream()`. */
type StreamPath = '/v1/users/{userId}/conversations/{conversationId}/stream';
type EventsPath = '/v1/users/{userId}/conversations/{conversationId}/events';

/** The paths of the partner API that have a method. */
export type PathOf<Method extends HttpMethod> = Exclude<
  Extract<PathsWithMethod<paths, Method>, `/v1/${string}`>,
  StreamPath
>;

/** What a call takes besides its path: `params`, `body`, `headers`, `signal`. */
export type CallOptions<Path extends keyof paths, Method extends HttpMethod & keyof paths[Path]> = MaybeOptionalInit<
  paths[Path],
  Method
>;

/** The argument itself is optional where all of it is. */
export type OptionalWhereEmpty<Options> = object extends Options ? [Options?] : [Options];

type SuccessOf<Operation, Options> = Extract<
  // Reason for the assertion: every operation that openapi-typescript writes is such a record.
  FetchResponse<Operation & Record<string | number, unknown>, Options, MediaType>,
  { data: unknown }
>;

/** A success: what the operation answers, and the answer itself for its headers. */
export interface CallAnswer<Operation, Options> {
  readonly data: SuccessOf<Operation, Options>['data'];
  readonly response: Response;
}

/** One method of `parley.api`. */
export type CallMethod<Method extends HttpMethod> = <
  Path extends PathOf<Method>,
  Options extends CallOptions<Path, Method & keyof paths[Path]>,
>(
  path: Path,
  ...options: OptionalWhereEmpty<Options>
) => Promise<CallAnswer<paths[Path][Method & keyof paths[Path]], Options>>;

/** A page of a list. */
interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
}

type PageAt<Path extends keyof paths> = paths[Path] extends { get: infer Operation }
  ? SuccessOf<Operation, object>['data']
  : never;

/** The lists that go on with a cursor. */
export type ListPath = {
  [Path in PathOf<'get'>]: PageAt<Path> extends PageOf<unknown> ? Path : never;
}[PathOf<'get'>];

/** What a list holds. */
export type ItemOf<Path extends ListPath> = PageAt<Path> extends PageOf<infer Item> ? Item : never;

/** Options of a list. */
export type ListOptions<Path extends ListPath> = FetchOptions<paths[Path] extends { get: infer Get } ? Get : never>;

/** An event of a conversation's journal: what is recorded, once and for ever, under its `seq`. */
export type DurableFrame = ItemOf<EventsPath>;

/** Presentation only: the words of an answer as they come. Never replayed; the whole text is in `agent.message`. */
export interface LiveFrame {
  readonly delivery: 'live';
  readonly payload: {
    readonly type: 'agent.text_delta';
    readonly at: string;
    readonly runId: string;
    readonly messageId: string;
    readonly text: string;
  };
}

/** What `stream()` gives: tell them apart by `delivery`, and then by `payload.type`. */
export type JournalFrame = DurableFrame | LiveFrame;
