import * as fc from 'fast-check';
import { asId, instantOf, type ConversationId, type MessageId, type RunId, type ToolCallId } from '@app/kernel';
import { randomBytes } from 'node:crypto';
import { openLive, readLive, writeLive } from './live-channel';

const key = randomBytes(32);

const conversationId = asId<ConversationId>('019a0000-0000-7000-8000-000000000001');
const messageId = asId<MessageId>('019a0000-0000-7000-8000-000000000002');
const runId = asId<RunId>('019a0000-0000-7000-8000-000000000003');

const loneSurrogate = /\p{Surrogate}/u;

function written(text: string): string[] {
  let number = 0;
  return writeLive(
    conversationId,
    { type: 'agent.text_delta', at: instantOf(0), runId, messageId, text },
    () => `process.${(number += 1)}`,
    key,
  );
}

describe('the live channel', () => {
  it('carries any text, in payloads that PostgreSQL takes and that differ, cut between code points', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 1, max: 2_000 }))
        .map(([unit, times]) => unit.repeat(times)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const payloads = written(text);
        expect(payloads.every((payload) => Buffer.byteLength(payload) < 8_000)).toBe(true);
        expect(new Set(payloads).size).toBe(payloads.length);
        const pieces = payloads.map((payload) => {
          const sealed = readLive(payload, () => true);
          expect(sealed).toMatchObject({ conversationId });
          const heard = sealed === null ? null : openLive(sealed, key);
          expect(heard).toMatchObject({ subject: messageId });
          return String((JSON.parse(heard?.payloadText ?? '') as { text: unknown }).text);
        });
        expect(pieces.join('')).toBe(text);
        if (!loneSurrogate.test(text)) expect(pieces.some((piece) => loneSurrogate.test(piece))).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  it('carries the progress of a call whole, with its words sealed', () => {
    const message = '\u{10ffff}'.repeat(200);
    const toolCallId = asId<ToolCallId>(`${runId}/999999999/999999999`);
    const numbers = { progress: Number.MAX_SAFE_INTEGER, total: Number.MAX_SAFE_INTEGER };
    const progress = { type: 'agent.tool_progress', at: instantOf(0), runId, toolCallId, ...numbers, message } as const;
    const [payload = '', ...more] = writeLive(conversationId, progress, () => 'process.1', key);
    expect([more, Buffer.byteLength(payload) < 8_000, payload.includes(message)]).toEqual([[], true, false]);
    const sealed = readLive(payload, () => true);
    const heard = sealed === null ? null : openLive(sealed, key);
    expect(heard).toMatchObject({ type: 'agent.tool_progress', subject: toolCallId });
    expect(JSON.parse(heard?.payloadText ?? '')).toEqual(progress);
  });

  it('reads only what is wanted, and nothing that is no delta', () => {
    const [payload = ''] = written('hello');
    expect(payload).not.toContain('hello');
    expect(readLive(payload, () => false)).toBeNull();
    const sealed = readLive(payload, () => true);
    expect(sealed === null ? undefined : openLive(sealed, randomBytes(32))).toBeNull();
    const another = '019a0000-0000-7000-8000-00000000000f';
    expect(readLive(`${another}${payload.slice(36)}`, () => true)).toBeNull();
    for (const text of [
      '',
      'x',
      `${conversationId} 1 {`,
      `${conversationId} 1 null`,
      `${conversationId} 1 {"messageId":1}`,
      `${conversationId} 1 {"messageId":"m","type":"agent.message"}`,
    ]) {
      expect(readLive(text, () => true)).toBeNull();
    }
  });
});
