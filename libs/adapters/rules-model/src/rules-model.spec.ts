import { NoFaults, readConfiguration } from '@app/runtime';
import type { ModelRequest } from '@app/engine';
import { RulesModel } from './rules-model';

const model = new RulesModel(new NoFaults(), readConfiguration({}));
const asking = (input: string): ModelRequest => ({
  instructions: null,
  history: [],
  turn: { input, steps: [] },
  tools: [],
  artifacts: [],
  outputSchema: null,
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
      text: 'one two',
      calls: [],
      inputTokens: 5,
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
      text: 'one two ',
      calls: [],
      inputTokens: 7,
      outputTokens: 2,
      costMicroCents: 0,
      estimated: false,
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
