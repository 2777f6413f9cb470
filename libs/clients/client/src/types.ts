import type { FetchOptions, FetchResponse } from 'openapi-fetch';
import type { HttpMethod, MediaType, PathsWithMethod } from 'openapi-typescript-helpers';
import type { components, paths } from './generated/openapi.js';

/** Every schema that the service names: `Schemas['Run']`. */
export type Schemas = components['schemas'];

/** Event streams, which are followed with `conversations.stream()` and `feed.stream()` instead. */
type StreamPath = '/v1/users/{userId}/conversations/{conversationId}/stream' | '/feed/v1/stream';
type EventsPath = '/v1/users/{userId}/conversations/{conversationId}/events';

/** The paths of the partner API that have a method. */
export type PathOf<Method extends HttpMethod> = Exclude<
  Extract<PathsWithMethod<paths, Method>, `/v1/${string}` | `/feed/v1/${string}`>,
  StreamPath
>;

/** How an answer is read: as JSON by default, or otherwise, such as an artifact's content. */
export type ReadAs = 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream';

/** Options of a call in addition to its path: `params`, `body`, `headers`, `signal`, `parseAs`. The service refuses other members. */
export type CallOptions<Path extends keyof paths, Method extends HttpMethod, As extends ReadAs> = Omit<
  FetchOptions<OperationAt<Path, Method>>,
  'parseAs'
> & { readonly parseAs?: As };

/** Arguments of a call; the options may be omitted if all of their members are optional. */
export type OptionalWhereEmpty<Options> = object extends Options ? [Options?] : [Options];

type OperationAt<Path extends keyof paths, Method extends HttpMethod> =
  paths[Path] extends Record<Method, infer Operation> ? Operation : never;

type SuccessOf<Operation, As extends ReadAs> = Extract<
  FetchResponse<Operation & Record<string | number, unknown>, { parseAs: As }, MediaType>,
  { data: unknown }
>['data'];

/** A success: the operation's answer, and the `Response` for its headers. */
export interface CallAnswer<Value> {
  readonly data: Value;
  readonly response: Response;
}

/** One method of `parley.api`. */
export type CallMethod<Method extends HttpMethod> = <Path extends PathOf<Method>, As extends ReadAs = 'json'>(
  path: Path,
  ...options: OptionalWhereEmpty<CallOptions<Path, Method, As>>
) => Promise<CallAnswer<SuccessOf<OperationAt<Path, Method>, As>>>;

/** A page of a list. */
export interface PageOf<Item> {
  readonly data: readonly Item[];
  readonly nextCursor: string | null;
}

type PageAt<Path extends keyof paths> = SuccessOf<OperationAt<Path, 'get'>, 'json'>;

/** The lists that are paged with a cursor. */
export type ListPath = {
  [Path in PathOf<'get'>]: PageAt<Path> extends PageOf<unknown> ? Path : never;
}[PathOf<'get'>];

/** The item type of a list. */
export type ItemOf<Path extends ListPath> = PageAt<Path> extends PageOf<infer Item> ? Item : never;

/** Options of a list. */
export type ListOptions<Path extends ListPath> = CallOptions<Path, 'get', 'json'>;

/** An event of a conversation's journal, recorded permanently under its `seq`. */
export type DurableFrame = ItemOf<EventsPath>;

/**
 * Presentation only: text of an answer, or of the reasoning before it, as it is generated, and the progress of tool
 * calls. Never replayed.
 */
export type LiveFrame = TextDeltaFrame | ReasoningDeltaFrame | ToolProgressFrame;

/** Text that a message grows by; the whole text is in the `agent.message` with its `messageId`. */
type TextDeltaFrame = LiveFrameOf<'agent.text_delta', Delta>;

/** Text that the reasoning of a step grows by; the whole text is in the `agent.reasoning` with its `messageId`. */
type ReasoningDeltaFrame = LiveFrameOf<'agent.reasoning_delta', Delta>;

/**
 * The progress of a tool call, until its `tool.returned`. It can arrive before the call's `tool.called`, and starts from
 * zero again when a call is made again.
 */
type ToolProgressFrame = LiveFrameOf<'agent.tool_progress', ToolProgress>;

interface Delta {
  readonly messageId: string;
  readonly text: string;
}

/** The progress of a tool call. */
export interface ToolProgress {
  readonly toolCallId: string;
  /** In the unit of `total`. */
  readonly progress: number;
  /** The `progress` of a finished call; null if unknown. */
  readonly total: number | null;
  /** One line in the words of the tool's server, at most 200 characters: data to show. Null if it gave none. */
  readonly message: string | null;
}

interface LiveFrameOf<Type extends string, Members> {
  readonly delivery: 'live';
  readonly payload: { readonly type: Type; readonly at: string; readonly runId: string } & Members;
}

/** A frame of `stream()`: distinguish frames by `delivery`, then by `payload.type`. */
export type JournalFrame = DurableFrame | LiveFrame;
