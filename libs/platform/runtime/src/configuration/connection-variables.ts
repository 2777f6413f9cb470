import { positiveInteger } from './variable-rules';

/** The environment variables that limit event streams, connections and bodies of an api process. */
export const connectionVariables = {
  STREAMS_PER_USER: positiveInteger({ default: 8, desc: 'Open event streams per user' }),
  STREAMS_PER_REPLICA: positiveInteger({ default: 2000, desc: 'Open event streams per api process' }),
  CONNECTIONS_PER_REPLICA: positiveInteger({
    default: 4000,
    desc: 'Open connections per api process, besides as many as it may have event streams; one more is closed at once',
  }),
  CONNECTION_QUIET_SECONDS: positiveInteger({
    default: 30,
    desc: 'How long a client may leave a connection idle, be silent within an upload or not go on reading an answer, and how long it may take to send a head or a JSON body; after that the connection is closed',
  }),
  TRANSFER_SECONDS: positiveInteger({
    default: 120,
    desc: 'How long an upload, or an answer that is no event stream and no export of a user, may be in flight; 10 MiB need 88 KB/s then',
  }),
  BODY_LIMIT_BYTES: positiveInteger({ default: 256 * 1024, desc: 'Largest JSON body, in bytes' }),
};
