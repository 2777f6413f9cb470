/** Every queue, cache, buffer and loop of the embedded event store is bounded by one of these. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** One append: data, metadata and event types together (EventStoreDB's own default). */
export const APPEND_BYTES_MAX = MIB;
export const APPEND_EVENTS_MAX = 10_000;
/** An index row of PostgreSQL holds at most about 2,700 bytes, and the stream name is part of one. */
export const STREAM_NAME_BYTES_MAX = 1_024;
export const EVENT_TYPE_BYTES_MAX = 1_024;
/** What one client message may weigh; the client's own receive limit is the same. */
export const MESSAGE_BYTES_MAX = 17 * MIB;

/** One group commit. A single append is never split, so one append may exceed the events. */
export const GROUP_EVENTS_MAX = 2_000;
export const GROUP_BYTES_MAX = 8 * MIB;
/** A commit that takes longer is given up, with its connection; what became of it is read back afterwards. */
export const GROUP_TIMEOUT_MS = 20_000;
export const QUEUED_APPENDS_MAX = 20_000;
export const QUEUED_BYTES_MAX = 64 * MIB;
export const DEADLINE_SWEEP_MS = 100;

/** Appends of one batch stream of which the last part is still to come. */
export const PARTIAL_APPENDS_MAX = 1_000;
export const PARTIAL_BYTES_MAX = 16 * MIB;

/** Heads of streams in memory, as `known-heads.ts` reckons them: some 100,000 of streams without metadata. */
export const KNOWN_HEADS_BYTES_MAX = 32 * MIB;
/** Places of events by id: by number, for each is an id, two numbers, and the stream's name, which its events in a group share. */
export const KNOWN_IDS_MAX = 50_000;

/** The ring of recent events, in their encoded form; what an event takes beside that is small and the same for each, so it is bounded by number. */
export const RING_EVENTS_MAX = 20_000;
export const RING_BYTES_MAX = 64 * MIB;

export const PAGE_EVENTS_MAX = 500;
export const PAGE_BYTES_MAX = MIB;
/** Events of a page that are framed before others have a turn of the event loop. */
export const FRAMED_AT_ONCE_MAX = 25;
/** Events that a filtered page looks through for matches; few of them are read whole. */
export const FILTERED_WINDOW_EVENTS_MAX = 5_000;
export const HEADS_AT_ONCE_MAX = 500;
/** A reader that takes nothing for this long loses its page, which is read again when it goes on. */
export const STALLED_READER_MS = 250;
/** A reader of which so much is not sent yet gets no more until all of it is. */
export const UNSENT_BYTES_MAX = 16 * KIB;
/** Live events go out together, as one piece of at most so many bytes for all subscribers to `$all`; beyond it, as pages. */
export const LIVE_PIECE_BYTES_MAX = 64 * KIB;
/** Where grpc-js writes: a frame above this size is flushed before the next one is written (it buffers 16 frames). */
export const UNFLUSHED_FRAME_BYTES_MAX = 8 * KIB;
/** Connections for look-ups by key and pages of few events, and those for all other pages. */
export const QUICK_CONNECTIONS_MAX = 3;
export const BULK_CONNECTIONS_MAX = 3;
export const QUICK_EVENTS_MAX = 32;
/** A reader's query that takes longer is answered as unavailable. */
export const READER_TIMEOUT_MS = 20_000;

/** Subscriptions and calls open at once on one connection, as EventStoreDB takes them (Kestrel's default): the next one waits. */
export const CONCURRENT_CALLS_MAX = 100;

export const RECONNECT_DELAY_MS = 200;
export const CONNECT_TIMEOUT_MS = 5_000;
/** A session that takes longer to get the lock, the schema and the end of the store is given up, and a new one is sought. */
export const ATTACH_TIMEOUT_MS = 20_000;
/** How long a start waits for PostgreSQL. For the lock of another event store server it waits without end, in words. */
export const START_TIMEOUT_MS = 30_000;
/** What is still so is said again after this long. */
export const SAY_AGAIN_MS = 20_000;
export const CLOSE_TIMEOUT_MS = 3_000;

/** Considered events between two checkpoints of a filtered subscription that names no window (EventStoreDB's default). */
export const SEARCH_WINDOW_DEFAULT = 32;
