import { readConfiguration } from '@app/settings';
import { NoFaults } from './model-faults';
import type { StepRequest } from '@app/engine';
import { withoutEnd } from '@app/testing/runs';
import { RulesModel } from './rules-model';

const model = new RulesModel(new NoFaults(), readConfiguration({}));
const asking = (input: string): StepRequest => ({
  allowance: withoutEnd,
  instructions: null,
  history: [],
  turn: { input, steps: [] },
  tools: [],
  artifacts: [],
  outputSchema: null,
  temperature: null,
  effort: null,
  reasoning: true,
  repairing: false,
});

describe('the rules model', () => {
  it('says its text word by word, and costs a step', async () => {
    const pieces: string[] = [];
    const reply = await model.step(
      asking('repeat after me: one two'),
      (text) => pieces.push(text),
      new AbortController().signal,
    );
    expect(pieces).toEqual(['one ', 'two']);
    expect(reply).toEqual({
      model: 'parley/rules',
      servedModel: 'parley/rules',
      reasoning: null,
      text: 'one two',
      calls: [],
      inputTokens: 5,
      cachedInputTokens: 0,
      outputTokens: 2,
      costMicroCents: 1_000_000,
      estimated: false,
      ending: 'whole',
    });
  });

  it('that is aborted in the middle leaves what it has said', async () => {
    const stop = new AbortController();
    const onText = (text: string) => (text === 'two ' ? stop.abort() : undefined);
    expect(await model.step(asking('repeat after me: one two three four'), onText, stop.signal)).toEqual({
      model: 'parley/rules',
      servedModel: 'parley/rules',
      reasoning: null,
      text: 'one two ',
      calls: [],
      inputTokens: 7,
      cachedInputTokens: 0,
      outputTokens: 2,
      costMicroCents: 0,
      estimated: false,
      ending: 'stopped',
    });
  });

  it('shows the words that it is given as its reasoning, says that they are not its own, and leaves them out where asked', async () => {
    const pieces: string[] = [];
    const keep = (text: string, of: string) => pieces.push(`${of}:${text}`);
    const aloud = asking('Think aloud: first this');
    const { reasoning, text } = await model.step(aloud, keep, new AbortController().signal);
    expect([reasoning, text]).toEqual([
      { text: 'first this', truncated: false },
      expect.stringContaining('does not think'),
    ]);
    expect(pieces.slice(0, 3)).toEqual(['reasoning:first ', 'reasoning:this', 'text:A ']);
    const plain = await model.step({ ...aloud, reasoning: false }, keep, new AbortController().signal);
    expect([plain.reasoning, plain.text]).toEqual([null, text]);
  });

  it('that is aborted while it thinks aloud leaves what it has shown of that', async () => {
    const stop = new AbortController();
    const onPiece = (text: string) => (text === 'one ' ? stop.abort() : undefined);
    expect(await model.step(asking('think aloud: one two'), onPiece, stop.signal)).toMatchObject({
      text: null,
      reasoning: { text: 'one ', truncated: true },
      ending: 'stopped',
    });
  });

  it('that is aborted before a word has said nothing', async () => {
    const stop = new AbortController();
    const step = model.step(asking('repeat after me: one'), () => undefined, stop.signal);
    stop.abort();
    await expect(step).rejects.toMatchObject({ name: 'AbortError' });
  });
});
