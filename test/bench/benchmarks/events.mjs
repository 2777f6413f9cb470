import { Agent, get } from 'node:http';
import { longConversation, streamOf } from '../conversations.mjs';

const pageEvents = 500;
const readers = 4;
const nextCursorPattern = /"nextCursor":(null|"[^"]*"),"endCursor":"[^"]*"\}$/;
const tailLength = 600;

/**
 * A whole journal in pages, by several readers at once, against the client's own read of that stream in the same pages.
 */
export const events = {
  number: 6,
  name: `events.list, ${pageEvents} a page, ${readers} readers`,
  against: 'raw client read of the same stream',
  figures: [{ key: 'rate', unit: 'events/s', better: 'more', aim: 0.8, floor: 0.7 }],

  async open(deployment, { journalEvents }) {
    const user = await deployment.newUser('events');
    const id = await longConversation(deployment, user, journalEvents);
    const agent = new Agent({ keepAlive: true });
    const measure = async (readAll) => {
      const startedMs = performance.now();
      const counts = await Promise.all(Array.from({ length: readers }, readAll));
      if (counts.some((count) => count !== journalEvents)) throw new Error(`read ${counts} of ${journalEvents} events`);
      return { rate: (readers * journalEvents * 1000) / (performance.now() - startedMs) };
    };
    return {
      ours: () => measure(() => listAll(`${user.url}/conversations/${id}/events`, user.headers, agent)),
      baseline: () => measure(() => readAll(deployment.client, streamOf(id))),
      close: async () => agent.destroy(),
    };
  },
};

/** Follows the cursors to the journal's end. Counts the events of each page and parses nothing else. */
async function listAll(url, headers, agent) {
  let count = 0;
  for (let cursor = ''; cursor !== null;) {
    const page = await fetchText(`${url}?limit=${pageEvents}${cursor && `&cursor=${cursor}`}`, headers, agent);
    const [, nextCursor] = nextCursorPattern.exec(page.slice(-tailLength));
    cursor = JSON.parse(nextCursor);
    count += page.split('{"delivery":"durable"').length - 1;
  }
  return count;
}

async function readAll(client, stream) {
  let count = 0;
  for (let pageCount = pageEvents; pageCount === pageEvents;) {
    pageCount = 0;
    const page = client.readStream(stream, { fromRevision: BigInt(count), maxCount: pageEvents });
    for await (const { event } of page) if (event) pageCount += 1;
    count += pageCount;
  }
  return count;
}

function fetchText(url, headers, agent) {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => (response.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    request.on('error', reject);
  });
}
