import { isErased, wordsOr, type Erased } from '@parley/client';
import { interruptOf, threadOf, translate, type Thread } from '@parley/client/ag-ui';

type Frame = Parameters<typeof translate>[1];

const erased: Erased = { erased: true };
const text = '[erased]';
const at = '2026-01-01T00:00:00.000Z';
const runId = '019a0000-0000-7000-8000-000000000001';
const toolCallId = `${runId}/1/0`;

describe('words that were erased', () => {
  it('are recognized, and no other value is', () => {
    const others = [undefined, null, '', 'erased', true, [], {}, { erased: false }, { erased: true, files: 3 }];
    expect([erased, ...others].map(isErased)).toEqual([true, ...others.map(() => false)]);
  });

  it('are replaced, while words and null are returned as they are', () => {
    const titles: (string | null | Erased)[] = ['Hello', null, erased];
    const shown: (string | null)[] = titles.map((title) => wordsOr(title, 'gone'));
    expect(shown).toEqual(['Hello', null, 'gone']);
  });
});

/** The thread that results from these events of a journal. */
function given(...payloads: readonly object[]): Thread {
  return payloads.reduce<Thread>((thread, payload, index) => {
    // Reason for the assertion: an event in a test has only the members that the test is about.
    const frame = { delivery: 'durable', seq: index + 1, requestId: 'r', payload: { at, runId, ...payload } } as Frame;
    return translate(thread, frame).thread;
  }, threadOf());
}

describe('a thread of AG-UI whose words were erased', () => {
  it('shows that in place of requests, thoughts, answers and results', () => {
    const { messages } = given(
      { type: 'run.started', request: erased },
      { type: 'agent.reasoning', messageId: 't', text: erased, truncated: false },
      { type: 'agent.message', messageId: 'm', text: erased, truncated: false },
      { type: 'tool.called', toolCallId, tool: 'current_time', input: erased },
      { type: 'tool.returned', toolCallId, outcome: 'ok', result: erased },
    );
    expect(messages).toMatchObject([
      { role: 'user', content: text },
      { role: 'reasoning', content: text },
      { role: 'assistant', content: text },
      { role: 'assistant', toolCalls: [{ function: { arguments: '{"erased":true}' } }] },
      { role: 'tool', content: text },
    ]);
  });

  it('replaces the words that it has of an answer that was erased before it was recorded', () => {
    // Reason for the assertion: as above.
    const word = {
      delivery: 'live',
      payload: { type: 'agent.text_delta', at, runId, messageId: 'm', text: 'hel' },
    } as Frame;
    const heard = translate(given({ type: 'run.started', request: erased }), word).thread;
    const message = { type: 'agent.message', at, runId, messageId: 'm', text: erased, truncated: false };
    // Reason for the assertion: as above.
    const { thread, events } = translate(heard, {
      delivery: 'durable',
      seq: 2,
      requestId: 'r',
      payload: message,
    } as Frame);
    expect(thread.messages.at(-1)).toMatchObject({ role: 'assistant', content: text });
    expect(events).toContainEqual({ type: 'MESSAGES_SNAPSHOT', messages: [...thread.messages] });
  });

  it('has interrupts with a text and a list of terms nevertheless', () => {
    const approval = { id: 'a', summary: erased, terms: erased, input: erased, fingerprint: 'sha256:1' };
    // Reason for the assertion: an approval has more members, which this test is not about.
    const interrupt = interruptOf(approval as unknown as Parameters<typeof interruptOf>[0]);
    expect(interrupt).toMatchObject({ message: text, metadata: { parley: { terms: [], input: erased } } });
  });
});
