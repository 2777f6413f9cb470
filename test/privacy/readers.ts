import { isJsonObject, type JsonObject } from '@app/kernel';
import type { OperatorClient } from '@app/testing/client';
import { readAllEvents } from '@app/testing/event-log';
import { ByteScan } from '@app/testing/words';
import { v5 as uuidV5 } from 'uuid';
import type { WritingPerson } from './person';
import type { WordsStage } from './stage';

/** A stream that has sent nothing for so long has sent all that it had. */
const streamQuietMs = 500;

/** The outcome of reading everything: the words that were found, and how many answers there were, by status. */
export interface EverythingRead {
  readonly lines: readonly string[];
  readonly byStatus: Readonly<Record<string, number>>;
}

/** Reads everything that any API shows, as the person, as their partner and as an operator with all rights, at each replica. */
export async function readEverything(
  stage: WordsStage,
  operator: OperatorClient,
  person: WritingPerson,
): Promise<EverythingRead> {
  const { user, words } = person.writer;
  const { baseUrls, partnerKey } = stage.deployment;
  const scan = new ByteScan(words);
  const byStatus: Record<string, number> = {};
  const streams = (await streamsOf(stage)).map(encodeURIComponent);
  for (const baseUrl of baseUrls) {
    const get = async (path: string, headers: Readonly<Record<string, string>>): Promise<void> => {
      const response = await fetch(baseUrl + path, { headers, signal: AbortSignal.timeout(60_000) });
      scan.scan('answers', path, Buffer.from(await response.arrayBuffer()));
      scan.scan('answers', `headers of ${path}`, JSON.stringify([...response.headers]));
      const kind = `${path.split('/')[1]} ${response.status}`;
      byStatus[kind] = (byStatus[kind] ?? 0) + 1;
    };
    const ids: Readonly<Record<string, string>> = {
      ...person.ids,
      userId: user.userId,
      runKey: uuidV5(person.ids['runId'] ?? '', user.userId),
    };
    for (const path of await pathsIn(baseUrl, '/openapi.json', ids, [])) await get(path, user.headers);
    const shown = baseUrl === baseUrls[0] ? streams : streams.slice(0, 1);
    for (const path of await pathsIn(baseUrl, '/operator/openapi.json', ids, shown))
      await get(path, { authorization: `Bearer ${operator.token}` });
    for (const path of ['/feed/v1/stream', `/v1/users/${user.userId}/conversations/${ids['conversationId']}/stream`])
      scan.scan('answers', path, await begunStream(baseUrl + path, { ...user.headers, 'last-event-id': '0' }));
    scan.scan('answers', 'the feed', await begunStream(`${baseUrl}/feed/v1/stream`, { 'x-api-key': partnerKey }));
  }
  return { lines: scan.lines(), byStatus };
}

/** The paths of all lists and things that a document describes, with these ids, and each with every stream where it names one. */
async function pathsIn(
  baseUrl: string,
  name: string,
  ids: Readonly<Record<string, string>>,
  streams: readonly string[],
): Promise<string[]> {
  // Reason for the assertion: the documents are objects, as other suites check.
  const { paths } = (await (await fetch(baseUrl + name)).json()) as { paths: JsonObject };
  const read = Object.entries(paths).filter(([, item]) => isJsonObject(item) && 'get' in item);
  const areas = /^\/(v1|operator|feed|transparency)\//;
  return read
    .map(([path]) => path)
    .filter((path) => areas.test(path) && !path.endsWith('/stream'))
    .flatMap((path) => (path.includes('{stream}') ? streams.map((stream) => path.replace('{stream}', stream)) : [path]))
    .map((path) => path.replaceAll(/\{(\w+)\}/g, (_, id: string) => ids[id] ?? 'x'));
}

/** The names of all streams. */
export async function streamsOf({ deployment }: WordsStage): Promise<string[]> {
  const events = await readAllEvents(deployment.eventStoreUrl);
  return [...new Set(events.map(({ stream }) => stream))];
}

/** All that an event stream sends until it has nothing more for a while; an answer that is none as it is. */
async function begunStream(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  let text = '';
  const decoder = new TextDecoder();
  let quiet = setTimeout(() => abort.abort(), streamQuietMs);
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      clearTimeout(quiet);
      quiet = setTimeout(() => abort.abort(), streamQuietMs);
    }
  } catch (error) {
    if (!abort.signal.aborted) throw error;
  } finally {
    clearTimeout(quiet);
  }
  return text;
}
