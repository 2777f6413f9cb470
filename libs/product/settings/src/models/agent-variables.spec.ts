import { ConfigurationError } from '@app/runtime';
import { readConfiguration } from '../configuration';

function problems(agents: unknown): readonly string[] {
  try {
    readConfiguration({ AGENTS: JSON.stringify(agents) });
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message.split('\n').slice(1);
    throw error;
  }
}

it('agents are read by name, in the order of their versions', () => {
  const AGENTS = JSON.stringify({
    support: [{ version: '1' }, { version: '2026-11', instructions: 'Be brief.', effort: 'low', temperature: 0.3 }],
    buyer: { version: '1', model: 'parley/rules', tools: [], maxSteps: 2, reasoning: false },
  });
  expect(readConfiguration({ AGENTS }).env.AGENTS).toEqual([
    { name: 'support', version: '1', instructions: null },
    { name: 'support', version: '2026-11', instructions: 'Be brief.', effort: 'low', temperature: 0.3 },
    {
      name: 'buyer',
      version: '1',
      instructions: null,
      model: 'parley/rules',
      tools: [],
      maxSteps: 2,
      reasoning: false,
    },
  ]);
  expect(readConfiguration({}).env.AGENTS).toEqual([]);
});

it.each([
  ['a list', []],
  ['no version', { support: {} }],
  ['a name of other characters', { 'a@b': { version: '1' } }],
  ['a version of other characters', { support: { version: 'a@b' } }],
  ['no versions', { support: [] }],
  ['one version twice', { support: [{ version: '1' }, { version: '1' }] }],
  ['instructions that are too long', { support: { version: '1', instructions: 'x'.repeat(8193) } }],
  ['instructions that no store keeps', { support: { version: '1', instructions: 'a\u0000b' } }],
  ['a temperature that none takes', { support: { version: '1', temperature: 2.1 } }],
  ['a member that is not known', { support: { version: '1', prompt: 'Be kind.' } }],
])('agents are refused with %s', (_what, agents) => {
  expect(problems(agents)).toEqual([expect.stringMatching(/^ {2}AGENTS: must /)]);
});

it('agents are refused, all at once, with models that are not offered', () => {
  expect(problems({ a: { version: '1', model: 'x' }, b: { version: '1', model: 'y' } })).toEqual([
    '  AGENTS: a@1 must have a model that is offered',
    '  AGENTS: b@1 must have a model that is offered',
  ]);
});
