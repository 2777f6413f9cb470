import { createApi, type Api, type UntypedCall } from './api.js';
import type { Fetch } from './attempt.js';
import { checkedBaseUrl } from './base-url.js';
import { Calls } from './calls.js';
import { Credentials, type UserToken } from './credentials.js';
import { resourcesOf, type Resources } from './generated/resources.js';
import { itemsOf } from './list.js';
import { defaultRetries, type RetryOptions } from './retries.js';
import { FollowedFeed, type FeedFrame, type FeedInput } from './feed.js';
import { FollowedJournal, type StreamOptions } from './journal.js';
import { FollowedStream, type Followed, type FollowOptions } from './stream.js';
import { Transport } from './transport.js';
import type { ItemOf, JournalFrame, ListOptions, ListPath, OptionalWhereEmpty } from './types.js';

export interface ParleyClientOptions {
  /** Address of the service, without `/v1`: `https://parley.example.com`. */
  readonly baseUrl: string;
  /** Your integration's key. It belongs in a backend, never in a browser. */
  readonly partnerKey: string;
  /** Access token of the client's user. Leave it out if it only reads the feed, which covers all users. */
  readonly userToken?: UserToken;
  /**
   * That user's id, if you know it. Otherwise the client takes it from the answer of `users.ensure()` or `users.me()`,
   * or requests it once, before the first call that needs it. A call may give another id.
   */
  readonly userId?: string | undefined;
  /** Defaults to the runtime's own `fetch`. */
  readonly fetch?: Fetch;
  readonly retry?: RetryOptions;
}

// One member for each resource, by declaration merging, so that a new resource needs no change here.
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type -- the constructor assigns what `resourcesOf` has
export interface ParleyClient extends Resources {}

/**
 * One user's view of a Parley deployment: `parley.runs.start(…)` calls the operation `runs.start`, and so on. It is
 * cheap to create: make one for each of your users' sessions.
 *
 * A call that fails is sent again only where that cannot repeat its effect: reads, deletions, writes that the service
 * recognizes as repeated, answers that it marks `retryable`, and requests that were never sent. Every other call
 * rejects with what is known of it.
 */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- as above
export class ParleyClient {
  /** Every operation by method and path, including ones newer than this client: `await parley.api.GET('/v1/users/me')`. */
  readonly api: Api;
  private readonly transport: Transport;
  private readonly baseUrl: string;

  /** Throws a TypeError that says what is wrong with an option. */
  constructor(options: ParleyClientOptions) {
    const { baseUrl, partnerKey, userId, fetch, retry = {} } = options;
    // A token that is given but undefined, such as an unset variable, is an error: it does not make a client without a
    // user.
    const userToken = 'userToken' in options ? (options.userToken ?? '') : undefined;
    this.baseUrl = checkedBaseUrl(baseUrl);
    // Resolved at each call, so that instrumentation that replaces it later is used.
    const send: Fetch = fetch ?? ((input, init) => globalThis.fetch(input, init));
    const policy = { ...defaultRetries, ...withoutGaps(retry) };
    this.transport = new Transport(send, new Credentials(partnerKey, userToken), policy);
    this.api = createApi(this.baseUrl, this.transport);
    const streams = {
      journal: (followed: StreamOptions) => this.stream(followed),
      feed: (input: FeedInput, followed: FollowOptions) => this.feedAfter(input, followed),
    };
    Object.assign(this, resourcesOf(new Calls(this.api, streams, userId)));
  }

  /**
   * Iterates over every item of a list, page after page: `for await (const run of
   * parley.pages('/v1/users/{userId}/agent-runs', { params }))`. Takes the options of the list; `limit` is the size of
   * a page. Throws as the calls do.
   */
  pages<Path extends ListPath>(
    path: Path,
    ...[options]: OptionalWhereEmpty<ListOptions<Path>>
  ): AsyncGenerator<ItemOf<Path>, void> {
    // Reason for the assertion: `ListPath` and `ListOptions` have checked path and options.
    const get = this.api.GET as unknown as UntypedCall;
    // Reason for the assertion: `ItemOf` is the item type of the list at this path.
    return itemsOf(get, path, options ?? {}) as AsyncGenerator<ItemOf<Path>, void>;
  }

  /**
   * Follows a conversation's journal after `after`, and then live: each durable frame exactly once and in order, across
   * any number of connections, and live frames as they arrive. Runs until its signal aborts or the loop over it is
   * left.
   * Throws ParleyProblem when the service refuses for good (401, 403, 404), after requesting a fresh token if the old
   * one had expired, and ParleyUnreachable when the stream cannot be read.
   */
  stream(options: StreamOptions): AsyncGenerator<JournalFrame, void> {
    return this.framesOf(new FollowedJournal(this.baseUrl, options), options);
  }

  private feedAfter(input: FeedInput, options: FollowOptions): AsyncGenerator<FeedFrame, void> {
    return this.framesOf(new FollowedFeed(this.baseUrl, input), options);
  }

  private framesOf<Frame>(followed: Followed<Frame>, options: FollowOptions): AsyncGenerator<Frame, void> {
    const signal = options.signal ?? new AbortController().signal;
    return new FollowedStream(this.transport, followed, options).frames(signal);
  }
}

/** Drops options that are given but undefined, so that their defaults apply. */
function withoutGaps(retry: RetryOptions): RetryOptions {
  return Object.fromEntries(Object.entries(retry).filter(([, value]) => value !== undefined));
}
