import { setTimeout as sleep } from 'node:timers/promises';
import { asId, instantOf, type ConversationId, type MessageId, type RunId, type ToolCallId } from '@app/kernel';
import { Database } from '@app/read-store';
import type { LiveDelta, LivePayload } from '@app/conversations';
import { newConversationId, startStores, type TestStores } from '@app/testing/journal';
import { conversationKeyId } from '@app/sealing';
import { LiveFrames } from '../src';
import { liveChannel, openLive, readLive } from '../src/live-channel';

let stores: TestStores;
beforeAll(async () => {
  stores = await startStores();
});
afterAll(() => stores.stop());

const runId = asId<RunId>('019a0000-0000-7000-8000-000000000003');

function delta(text: string, message = 2): LiveDelta {
  const messageId = asId<MessageId>(`019a0000-0000-7000-8000-00000000000${message}`);
  return { type: 'agent.text_delta', at: instantOf(0), runId, messageId, text };
}

/** The live frames received for one conversation, as `<last digit of the message or call>:<text or progress>`. */
function listenTo(id: ConversationId): string[] {
  const heard: string[] = [];
  const keyId = conversationKeyId(id);
  stores.notifications.on(liveChannel, (notification) => {
    const sealed = readLive(notification, (conversationId) => conversationId === id);
    const key = stores.keys.peek(keyId) ?? null;
    const found = sealed === null || key === null ? null : openLive(sealed, key);
    if (found === null) return;
    const payload = JSON.parse(found.payloadText) as LivePayload; // reason for the assertion: as it was published
    heard.push(`${found.subject.at(-1)}:${'text' in payload ? payload.text : payload.progress}`);
  });
  return heard;
}

async function reaching(heard: string[], count: number): Promise<void> {
  for (const deadline = Date.now() + 60_000; heard.length < count && Date.now() < deadline; await sleep(5));
}

describe('live frames', () => {
  it('gather what a message grows by, and go out in order before a flush is done', async () => {
    const frames = new LiveFrames(stores.database, stores.keys);
    const id = newConversationId();
    const heard = listenTo(id);
    await sleep(50);
    for (const word of ['the ', 'quick ', 'brown ']) frames.publish(id, delta(word));
    frames.publish(id, delta('other', 3));
    await reaching(heard, 2);
    expect(heard).toEqual(['2:the quick brown ', '3:other']);
    frames.publish(id, delta('fox'));
    await frames.flush(id);
    await frames.flush(newConversationId());
    await reaching(heard, 3);
    expect(heard[2]).toBe('2:fox');
    const words = Array.from({ length: 300 }, (_, index) => `${index} `);
    for (const [index, word] of words.entries()) {
      frames.publish(id, delta(word));
      if (index % 50 === 0) await sleep(15);
    }
    await frames.flush(id);
    const said = () =>
      heard
        .slice(3)
        .map((text) => text.slice(2))
        .join('');
    for (const deadline = Date.now() + 60_000; said() !== words.join('') && Date.now() < deadline; await sleep(5));
    expect(said()).toBe(words.join(''));
    expect(heard.length).toBeLessThan(60);
    await frames.onApplicationShutdown();
  });

  it('of the progress of a call are the newest, apart from those of the same call id in another conversation', async () => {
    const frames = new LiveFrames(stores.database, stores.keys);
    const ids = [newConversationId(), newConversationId()];
    const heard = ids.map((id) => listenTo(id));
    await sleep(50);
    const toolCallId = asId<ToolCallId>(`${runId}/1/0`);
    for (let progress = 0; progress < 10_000; progress += 1)
      for (const [index, id] of ids.entries()) {
        const counts = { progress: progress + index, total: null, message: 'x'.repeat(200) };
        frames.publish(id, { type: 'agent.tool_progress', at: instantOf(0), runId, toolCallId, ...counts });
      }
    for (const [index, id] of ids.entries()) {
      await frames.flush(id);
      await reaching(heard[index] ?? [], 1);
    }
    expect(heard).toEqual([['0:9999'], ['0:10000']]);
    await frames.onApplicationShutdown();
  });

  it('are lost without harm when PostgreSQL is away', async () => {
    const database = await Database.connect({ url: stores.databaseUrl, poolSize: 1, rows: [], migrations: [] });
    const frames = new LiveFrames(database, stores.keys);
    const id = newConversationId();
    await database.query('SELECT 1');
    await database.close();
    for (let count = 0; count < 5_000; count += 1) frames.publish(id, delta('x'.repeat(1_000)));
    await frames.flush(id);
    await frames.onApplicationShutdown();
  });
});
