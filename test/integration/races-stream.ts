/** Readers whose connections break at random, over two replicas: they receive the journal in order, each event once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { auditJournal, openedEvents } from '@app/testing/audits';
import { readAllEvents } from '@app/testing/event-log';
import { FollowingReader, type TestClient } from '@app/testing/client';
import { overReplicas, type Races } from './races';

const full = process.env['FIGURES'] === 'full';
const DISCONNECTS = Number(process.env['DISCONNECTS'] ?? (full ? 1_000 : 30));
const READERS = 6;
const CONNECTED_MAX_MS = 150;
const CAUGHT_UP_WITHIN_MS = 120_000;
const TIMEOUT_MS = 240_000 + DISCONNECTS * 500;

/** Fills a journal with runs and small changes until the signal aborts. Returns the last seq. */
async function write(client: TestClient, conversationId: string, over: AbortSignal): Promise<number> {
  const path = `/conversations/${conversationId}`;
  for (let title = 0; !over.aborted; title += 1) {
    await client.request('PATCH', path, { title: `title ${title}` });
    // While a run is live, its own events come in between, and a start is refused.
    if (title % 10 === 0)
      await client.post('/agent-runs', { conversationId, input: { text: 'repeat after me: a b c' } });
  }
  for (;;) {
    const { body } = await client.get<{ status: string; lastSeq: number }>(path);
    if (body.status === 'idle') return body.lastSeq;
    await sleep(50);
  }
}

export function cutReaders(begun: () => Promise<Races>): void {
  test(
    'what readers get over all their connections is the journal',
    async () => {
      const races = await begun();
      const client = await races.deployment.newUser();
      const { body: conversation } = await client.post<{ id: string }>('/conversations', {});
      const replicas = overReplicas(races, client);
      const readers = Array.from({ length: READERS }, () => new FollowingReader(replicas, conversation.id));
      const over = new AbortController();
      const writing = write(client, conversation.id, over.signal);
      let disconnects = 0;
      try {
        await Promise.all(
          readers.map(async (reader) => {
            for (; disconnects < DISCONNECTS; await sleep(Math.random() * CONNECTED_MAX_MS)) {
              if (await reader.disconnect()) disconnects += 1;
            }
          }),
        );
        over.abort();
        const lastSeq = await writing;
        await Promise.all(readers.map((reader) => reader.until(lastSeq, CAUGHT_UP_WITHIN_MS)));
      } finally {
        over.abort();
        await Promise.all(readers.map((reader) => reader.close()));
      }
      const events = await readAllEvents(races.deployment.eventStoreUrl);
      const journal = events.filter(({ stream }) => stream === `conversation-${conversation.id}`);
      const delivered = readers.map(({ seen }) => ({ conversationId: conversation.id, seen }));
      const { lost } = auditJournal(await openedEvents(races.deployment.databaseUrl, events), [], delivered);
      const faults = readers.flatMap((reader) => reader.faults);
      process.stdout.write(
        `stream: ${disconnects} disconnects, ${journal.length} events to each of ${READERS} readers over two replicas, ` +
          `${lost.length} unlike the journal, ${faults.length} twice or out of order\n`,
      );
      expect({ lost, faults }).toEqual({ lost: [], faults: [] });
      const every = journal.map((_, index) => index + 1);
      for (const { seen } of readers) expect(seen.map(({ seq }) => seq)).toEqual(every);
    },
    TIMEOUT_MS,
  );
}
