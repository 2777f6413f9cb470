import type { Schemas } from '@parley/client';
import { approvalDescriptorOf, initialRun, reduce, toUIMessages, type ReadApproval } from '@parley/client/ai-sdk';
import { approvalId, callId, event, fingerprint, journal, words } from './frames';

const erased: Schemas['Erased'] = { erased: true };
const text = '[erased]';

const outcome = event('tool.returned', { outcome: 'error', result: erased });
const everything = [
  event('run.started', { request: erased }),
  event('agent.step'),
  event('agent.reasoning', { text: erased }),
  event('agent.message', { text: erased }),
  event('tool.called', { input: erased }),
];

describe('a chat whose words were erased', () => {
  it('shows that in place of requests, thoughts, answers and errors of tools', () => {
    const [asked, answer] = toUIMessages(journal(...everything, outcome));
    expect(asked?.parts).toEqual([{ type: 'text', text }]);
    expect(answer?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text },
      { type: 'text', text },
      { type: 'dynamic-tool', input: erased, errorText: text },
    ]);
  });

  it('shows it in place of the prompt of an automation', () => {
    const started = event('run.started', { origin: 'automation', request: erased });
    const [answer] = toUIMessages(journal(started));
    expect(answer?.parts).toMatchObject([{ type: 'data-automation', data: { text } }]);
  });

  it('withdraws what was shown of an answer that was erased before it was recorded to the end', () => {
    const frames = journal(event('run.started'), words('hel'), event('agent.message', { text: erased }));
    let state = initialRun('11111111-1111-4111-8111-111111111111');
    const chunks = frames.flatMap((frame) => {
      const told = reduce(state, frame, { approvals: new Map(), liveAfter: 0 });
      state = told.state;
      return told.chunks;
    });
    const said = chunks.filter(({ type }) => /^text-/.test(type));
    const withdrawn = { type: 'text-end', id: 'm', providerMetadata: { parley: { withdrawn: true } } };
    expect(said).toContainEqual(withdrawn);
    expect(said.slice(-2)).toEqual([
      { type: 'text-delta', id: 'm', delta: text },
      { type: 'text-end', id: 'm' },
    ]);
  });

  it('has no output, because an erased one may have been none', () => {
    const ended = event('run.ended', { response: erased, output: erased });
    const types = toUIMessages(journal(event('run.started'), ended)).flatMap(({ parts }) =>
      parts.map(({ type }) => type),
    );
    expect(types).toEqual(['text']);
  });

  it('describes an approval without its words', () => {
    const read: ReadApproval = {
      fingerprint,
      summary: erased,
      terms: erased,
      input: erased,
      contract: null,
      toolCallId: callId,
    };
    const frames = journal(...everything, event('approval.opened'));
    const parts = toUIMessages(frames, new Map([[approvalId, read]])).flatMap((message) => message.parts);
    const asked = parts.flatMap((part) => approvalDescriptorOf(part) ?? []);
    expect(asked).toMatchObject([{ fingerprint, summary: text, terms: [], input: erased }]);
  });
});
