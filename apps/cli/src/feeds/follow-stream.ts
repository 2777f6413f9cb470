import { bodyWithin, fetchWithoutRedirects } from '@app/runtime';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed } from '../terminal/outcome';
import { note } from '../terminal/output';
import { noAnswerOf, problemInWords } from '../service/service-fetch';

const comeBackMs = 2_000;
/** The service sends a heartbeat every 15 s. */
const usualSilenceMs = 45_000;
/** Far above the largest problem of this service. */
const refusalBytesMax = 1024 * 1024;
/** Far above the largest event of this service. */
const eventLengthMax = 4 * 1024 * 1024;

/** A stream of server-sent events of the service. */
export interface FollowedStream {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Begin after this id; the beginning of the stream when absent. */
  readonly after?: string;
  readonly signal: AbortSignal;
  /** A connection that is silent for this long is dropped. */
  readonly silenceMaxMs?: number;
}

/**
 * The events of a stream, each once, over as many connections as needed, even while the service restarts. Ends without an error when the
 * signal aborts. @throws CommandFailed when the service refuses for good
 */
export async function* follow({
  url,
  headers,
  after,
  signal,
  silenceMaxMs = usualSilenceMs,
}: FollowedStream): AsyncGenerator<EventSourceMessage, void> {
  const place = { id: after };
  let isAway = false;
  while (!signal.aborted) {
    try {
      for await (const event of eventsAfter(place, { url, headers, signal, silenceMaxMs })) {
        isAway = false;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CommandFailed) throw error;
      if (!isAway) note(`${noAnswerOf(url, error)} It is tried again.`);
      isAway = true;
    }
    await sleep(comeBackMs, undefined, { signal }).catch(() => undefined); // aborted: the loop ends
  }
}

type Connected = Required<Omit<FollowedStream, 'after'>>;

/** The events of one connection after `place`, which moves with them. */
async function* eventsAfter(
  place: { id: string | undefined },
  { url, signal, silenceMaxMs, ...stream }: Connected,
): AsyncGenerator<EventSourceMessage, void> {
  const headers = { ...stream.headers, ...(place.id !== undefined && { 'last-event-id': place.id }) };
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(), silenceMaxMs);
  try {
    const response = await fetchWithoutRedirects(url, { headers, signal: AbortSignal.any([signal, silence.signal]) });
    if (response.status !== 200) throw await refusalOf(response);
    if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '')) {
      await response.body?.cancel();
      throw new Error('what answers there is no event stream');
    }
    const events: EventSourceMessage[] = [];
    const parser = createParser({
      onEvent: (event) => events.push(event),
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw error;
      },
      maxBufferSize: eventLengthMax,
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      watch.refresh();
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const event of events.splice(0)) {
        yield event;
        place.id = event.id ?? place.id;
      }
    }
  } finally {
    clearTimeout(watch);
  }
}

/** A permanent refusal ends the command; any other is retried. */
async function refusalOf(response: Response): Promise<Error> {
  const text = `refused (${response.status}): ${problemInWords((await bodyWithin(response, refusalBytesMax)).toString())}`;
  return response.status === 429 || response.status >= 500 ? new Error(text) : new CommandFailed(text);
}
