/** Every queue, cache, buffer and loop of the embedded event store is bounded by one of these. */

const KIB = 1024;
const MIB = 1024 * KIB;

/** One append: data, metadata and event types together (EventStoreDB's own default). */
export const APPEND_BYTES_MAX = MIB;
export const APPEND_EVENTS_MAX = 10_000;
/** An index row of PostgreSQL holds at most about 2,700 bytes, and the stream name is part of one. */
export const STREAM_NAME_BYTES_MAX = 1_024;
export const EVENT_TYPE_BYTES_MAX = 1_024;
/** Size limit of one client message; the client's own receive limit is the same. */
export const MESSAGE_BYTES_MAX = 17 * MIB;

/** Limits of one group commit. A single append is never split, so one append may exceed the number of events. */
export const GROUP_EVENTS_MAX = 2_000;
export const GROUP_BYTES_MAX = 8 * MIB;
/** A commit that takes longer is given up, with its connection; its outcome is read back afterwards. */
export const GROUP_TIMEOUT_MS = 20_000;
export const QUEUED_APPENDS_MAX = 20_000;
export const QUEUED_BYTES_MAX = 64 * MIB;
export const DEADLINE_SWEEP_MS = 100;

/** Incomplete appends of one batch stream, whose last part has not arrived. */
export const PARTIAL_APPENDS_MAX = 1_000;
export const PARTIAL_BYTES_MAX = 16 * MIB;

/** Heads of streams in memory, measured as in `known-heads.ts`: some 100,000 of streams without metadata. */
export const KNOWN_HEADS_BYTES_MAX = 32 * MIB;
/**
 * Positions of events by id. Limited by number, because each is an id, two numbers, and the stream's name, which its events in a group
 * share.
 */
export const KNOWN_IDS_MAX = 50_000;

/** The ring of recent events, in their encoded form. The overhead per event is small and constant, so it is limited by number. */
export const RING_EVENTS_MAX = 20_000;
export const RING_BYTES_MAX = 64 * MIB;

export const PAGE_EVENTS_MAX = 500;
export const PAGE_BYTES_MAX = MIB;
/** Events of a page that are framed before other work gets a turn of the event loop. */
export const FRAMED_AT_ONCE_MAX = 25;
/** Events that a filtered page searches for matches; few of them are read completely. */
export const FILTERED_WINDOW_EVENTS_MAX = 5_000;
export const HEADS_AT_ONCE_MAX = 500;
/** A reader that takes nothing for this long loses its page, which is read again when it continues. */
export const STALLED_READER_MS = 250;
/** A reader with so many unsent bytes gets no more until all of them are sent. */
export const UNSENT_BYTES_MAX = 16 * KIB;
/** Live events are sent together, as one piece of at most so many bytes for all subscribers to `$all`; larger groups are sent as pages. */
export const LIVE_PIECE_BYTES_MAX = 64 * KIB;
/** When grpc-js writes: a frame above this size is flushed before the next one is written (it buffers 16 frames). */
export const UNFLUSHED_FRAME_BYTES_MAX = 8 * KIB;
/** Connections for lookups by key and pages of few events, and those for all other pages. */
export const QUICK_CONNECTIONS_MAX = 3;
export const BULK_CONNECTIONS_MAX = 3;
export const QUICK_EVENTS_MAX = 32;
/** A reader's query that takes longer is answered as unavailable. */
export const READER_TIMEOUT_MS = 20_000;

/** Subscriptions and calls open at once on one connection, the limit of EventStoreDB (Kestrel's default): the next one waits. */
export const CONCURRENT_CALLS_MAX = 100;

export const RECONNECT_DELAY_MS = 200;
export const CONNECT_TIMEOUT_MS = 5_000;
/** A session that takes longer to get the lock, the schema and the end of the store is given up, and a new one is opened. */
export const ATTACH_TIMEOUT_MS = 20_000;
/** How long a start waits for PostgreSQL. It waits without limit for the lock of another event store server, and logs that. */
export const START_TIMEOUT_MS = 30_000;
/** A condition that persists is logged again after this time. */
export const SAY_AGAIN_MS = 20_000;
export const CLOSE_TIMEOUT_MS = 3_000;

/** Considered events between two checkpoints of a filtered subscription that names no window (EventStoreDB's default). */
export const SEARCH_WINDOW_DEFAULT = 32;
