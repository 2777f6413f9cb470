import { createApi, type Api, type UntypedCall } from './api.js';
import type { Fetch } from './attempt.js';
import { checkedBaseUrl } from './base-url.js';
import { Calls } from './calls.js';
import { Credentials, type UserToken } from './credentials.js';
import { resourcesOf, type Resources } from './generated/resources.js';
import { itemsOf } from './pages.js';
import { defaultRetries, type RetryOptions } from './retries.js';
import { FollowedFeed, type FeedFrame, type FeedInput } from './feed.js';
import { FollowedJournal, type StreamOptions } from './journal.js';
import { FollowedStream, type Followed, type FollowOptions } from './stream.js';
import { Transport } from './transport.js';
import type { ItemOf, JournalFrame, ListOptions, ListPath, OptionalWhereEmpty } from './types.js';

export interface ParleyClientOptions {
  /** Where the service is, without `/v1`: `https://parley.example.com`. */
  readonly baseUrl: string;
  /** Your integration's key. It belongs into a backend, never into a browser. */
  readonly partnerKey: string;
  /** The access token of the user that this client acts for. Leave it out of a client that only reads the feed, which is of all users. */
  readonly userToken?: UserToken;
  /**
   * That user's id, where you know it. Otherwise it is what `users.ensure()` or `users.me()` answered, and else the client asks for
   * it once, before the first call that needs it. A call may name another.
   */
  readonly userId?: string | undefined;
  /** The runtime's own when absent. */
  readonly fetch?: Fetch;
  readonly retry?: RetryOptions;
}

// One member for each resource, so that a new one needs no word here.
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging, @typescript-eslint/no-empty-object-type -- the constructor assigns what `resourcesOf` has
export interface ParleyClient extends Resources {}

/**
 * One user's view of a Parley deployment: `parley.runs.start(…)` for the operation `runs.start`, and so on. Cheap to make: one for
 * each of your users' sessions.
 *
 * Calls that fail are sent again only where that does nothing twice: reads, deletions, writes that the service recognizes, whatever it
 * calls `retryable`, and what never left. All else rejects with what is known of it.
 */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging -- as above
export class ParleyClient {
  /** Every operation by method and path, also one that is newer than this client: `await parley.api.GET('/v1/users/me')`. */
  readonly api: Api;
  private readonly transport: Transport;
  private readonly baseUrl: string;

  /** Throws a TypeError that says what is wrong with an option. */
  constructor(options: ParleyClientOptions) {
    const { baseUrl, partnerKey, userId, fetch, retry = {} } = options;
    // One that was to be there and is not, such as a variable that is not set, is no client without a user.
    const userToken = 'userToken' in options ? (options.userToken ?? '') : undefined;
    this.baseUrl = checkedBaseUrl(baseUrl);
    // Looked up at each call, so that instrumentation which replaces it later is used.
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
   * Every item of a list, page after page: `for await (const run of parley.pages('/v1/users/{userId}/agent-runs', { params }))`.
   * The options are those of the list: `limit` is the size of a page. Throws as the calls do.
   */
  pages<Path extends ListPath>(
    path: Path,
    ...[options]: OptionalWhereEmpty<ListOptions<Path>>
  ): AsyncGenerator<ItemOf<Path>, void> {
    // Reason for the assertion: `ListPath` and `ListOptions` have checked path and options.
    const get = this.api.GET as unknown as UntypedCall;
    // Reason for the assertion: `ItemOf` is what the list at this path holds.
    return itemsOf(get, path, options ?? {}) as AsyncGenerator<ItemOf<Path>, void>;
  }

  /**
   * A conversation's journal from `after` on, and then live: every durable frame exactly once and in order, whatever happens to
   * the connection, and live frames as they come. Runs until its signal aborts or the loop over it is left.
   * Throws ParleyProblem when the service refuses for good (401, 403, 404), after a fresh token was asked for if the old one had expired.
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

/** An option that is there but undefined stands for its default. */
function withoutGaps(retry: RetryOptions): RetryOptions {
  return Object.fromEntries(Object.entries(retry).filter(([, value]) => value !== undefined));
}
