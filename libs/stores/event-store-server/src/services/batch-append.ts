import { encodeBatchRefused, encodeBatchWritten, type BatchAppendPart } from '@app/event-store-wire';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { ProposedEvent } from '../event';
import { FailureError, asFailure, type Failure } from '../failure';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX, PARTIAL_APPENDS_MAX, PARTIAL_BYTES_MAX } from '../limits';
import { openWriter, type CallWriter } from '../wire/call-writer';
import { batchStatusOf, statusOf } from '../wire/errors';
import { canonicalUuid, proposedBytes, proposedEvent, writableStreamName } from '../wire/write-request';
import type { Append, WriteResult, Writes } from '../writing/request';
import type { OpenCalls } from './open-calls';

type BatchCall = ServerDuplexStream<BatchAppendPart, Buffer>;

/** An append of which parts may still arrive. Once it has failed, it is answered, and its further parts are dropped. */
interface PartialAppend {
  readonly correlationId: string;
  readonly head: Pick<Append, 'stream' | 'expected' | 'deadlineMs'>;
  events: ProposedEvent[];
  bytes: number;
  failure: Failure | undefined;
  refused: boolean;
}

/**
 * One batch stream: parts of appends, distinguished by correlation id, each append answered exactly once and in any order. Reading from the
 * client pauses while the writer's queue is full or the client does not take its answers.
 */
export class BatchAppendCall {
  private readonly partial = new Map<string, PartialAppend>();
  private partialBytes = 0;
  private pending = 0;
  private ended = false;
  private over = false;
  /** Opened by the first answer. */
  private writer: CallWriter | undefined;

  constructor(
    private readonly call: BatchCall,
    private readonly writes: Writes,
    private readonly calls: OpenCalls,
  ) {
    calls.add(this);
    call.on('data', (part: BatchAppendPart) => this.receive(part));
    call.on('end', () => {
      this.ended = true;
      this.endIfDone();
    });
    call.on('cancelled', () => this.finish());
  }

  private receive(part: BatchAppendPart): void {
    if (this.over) return;
    try {
      const append = this.collect(part);
      if (append.failure) this.refuse(append, append.failure);
      else if (part.isFinal) this.submit(append);
    } catch (error) {
      // Without a correlation id only the whole stream can be answered.
      this.fail(asFailure(error));
    }
    if (this.writes.isFull) this.waitForRoom();
  }

  /** Adds a part to its append. */
  private collect(part: BatchAppendPart): PartialAppend {
    const correlationId = canonicalUuid(part.correlationId);
    const append = this.partial.get(correlationId) ?? begin(correlationId, part);
    this.partialBytes -= append.bytes;
    if (!append.failure) addEvents(append, part);
    if (part.isFinal) {
      this.partial.delete(correlationId);
      return append;
    }
    this.partial.set(correlationId, append);
    this.partialBytes += append.bytes;
    if (this.partial.size > PARTIAL_APPENDS_MAX || this.partialBytes > PARTIAL_BYTES_MAX) {
      throw new FailureError({ kind: 'bad-request', message: 'too many unfinished appends on one batch stream' });
    }
    return append;
  }

  /** Answers at once, even if more parts may come. */
  private refuse(append: PartialAppend, failure: Failure): void {
    if (!append.refused) this.answer(append, failure);
    append.refused = true;
  }

  private submit(append: PartialAppend): void {
    this.pending++;
    this.writes.submit({ kind: 'append', ...append.head, events: append.events, bytes: append.bytes }, (result) => {
      this.pending--;
      this.answer(append, result);
      this.endIfDone();
    });
  }

  private answer(append: PartialAppend, result: WriteResult): void {
    if (this.over) return;
    const { correlationId, head } = append;
    // The format of an answer cannot express "unavailable"; the end of the stream can, and every append on it shares the fate.
    if (result.kind === 'unavailable') return this.fail(result);
    const answer =
      result.kind === 'written'
        ? encodeBatchWritten(correlationId, head.stream, result)
        : encodeBatchRefused(correlationId, head.stream, batchStatusOf(result));
    this.writer ??= openWriter(this.call, () => this.resumeIfRoom());
    this.writer.write(answer);
    if (this.writer.isFull) this.call.pause();
  }

  /** Ends the stream; unanswered appends share the failure. */
  fail(failure: Failure): void {
    if (this.finish()) this.call.emit('error', statusOf(failure));
  }

  /** Returns false when it was over before. */
  private finish(): boolean {
    if (this.over) return false;
    this.over = true;
    this.partial.clear();
    this.calls.remove(this);
    return true;
  }

  private waitForRoom(): void {
    this.call.pause();
    this.writes.onRoom(() => this.resumeIfRoom());
  }

  private resumeIfRoom(): void {
    if (this.over || !this.call.isPaused()) return;
    if (this.writes.isFull) this.writes.onRoom(() => this.resumeIfRoom());
    else if (!this.writer?.isFull) this.call.resume();
  }

  private endIfDone(): void {
    if (this.ended && this.pending === 0 && this.finish()) this.call.end();
  }
}

/** The first part names stream, expectation and deadline. An error in it answers the append, not the stream. */
function begin(correlationId: string, { options }: BatchAppendPart): PartialAppend {
  const append: PartialAppend = {
    correlationId,
    head: { stream: '', expected: 'any', deadlineMs: Infinity },
    events: [],
    bytes: 0,
    failure: undefined,
    refused: false,
  };
  if (!options) return { ...append, failure: { kind: 'bad-request', message: 'the first part has no options' } };
  try {
    const { expected, deadlineMs } = options;
    const stream = writableStreamName(options.stream);
    return { ...append, head: { stream, expected, deadlineMs } };
  } catch (error) {
    return { ...append, failure: asFailure(error) };
  }
}

/** A late append is not validated further: its answer is the timeout, even if it is invalid as well. */
function addEvents(append: PartialAppend, part: BatchAppendPart): void {
  try {
    if (append.head.deadlineMs <= Date.now()) throw new FailureError({ kind: 'timeout' });
    for (const message of part.events) {
      const event = proposedEvent(message);
      append.events.push(event);
      append.bytes += proposedBytes(event);
    }
    checkSize(append.events.length, append.bytes);
  } catch (error) {
    append.failure = asFailure(error);
    append.events = [];
    append.bytes = 0;
  }
}

/** Throws a failure when an append is too large. */
export function checkSize(events: number, bytes: number): void {
  if (bytes > APPEND_BYTES_MAX || events > APPEND_EVENTS_MAX) throw new FailureError({ kind: 'append-too-large' });
}
