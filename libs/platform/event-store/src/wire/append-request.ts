import { encodeBatchAppendReq, type AppendOptions, type ProposedMessage } from './messages';

/** An event to be appended: its data and metadata are JSON values, or bytes that are sent as they are. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: unknown;
  readonly metadata?: unknown;
}

/** A message is sent once it holds this much. Servers accept messages of up to 4 MiB, and appends of up to 1 MiB. */
const partBytesMax = 1024 * 1024;

/** Encodes one append as the messages of a BatchAppend call: the first carries the options, the last marks the append as complete. */
export function appendRequests(
  correlationId: string,
  stream: string,
  events: readonly ProposedEvent[],
  expectedRevision: number,
  deadlineEpochMs: number,
): Buffer[] {
  const options = optionsOf(stream, expectedRevision, deadlineEpochMs);
  const parts = partsOf(events.map(toProposedMessage));
  return parts.map((part, index) =>
    encodeBatchAppendReq({
      correlationId: { text: correlationId },
      options: index === 0 ? options : null,
      events: part,
      isFinal: index === parts.length - 1,
    }),
  );
}

/** Returns at least one part, even without events, because the first carries the options. */
function partsOf(messages: readonly ProposedMessage[]): ProposedMessage[][] {
  const parts: ProposedMessage[][] = [];
  let part: ProposedMessage[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = message.data.length + (message.metadata?.length ?? 0);
    if (bytes > 0 && bytes + size > partBytesMax) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(message);
    bytes += size;
  }
  return [...parts, part];
}

function optionsOf(stream: string, expectedRevision: number, deadlineEpochMs: number): AppendOptions {
  const isNew = expectedRevision < 0;
  return {
    stream: { name: Buffer.from(stream) },
    revision: isNew ? null : expectedRevision,
    noStream: isNew ? {} : null,
    deadline: {
      seconds: Math.floor(deadlineEpochMs / 1_000),
      nanos: Math.floor((deadlineEpochMs % 1_000) * 1_000_000),
    },
  };
}

function toProposedMessage({ id, type, contentType, data, metadata }: ProposedEvent): ProposedMessage {
  return {
    id: { text: id },
    system: { type, 'content-type': contentType },
    metadata: metadata === undefined ? null : bytesOf(metadata),
    data: bytesOf(data),
  };
}

function bytesOf(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : Buffer.from(JSON.stringify(value));
}
