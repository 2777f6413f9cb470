import { resolveProfile, type NamedAgent } from './run-profile';

const first: NamedAgent = { name: 'support', version: '1', instructions: 'Be kind.', model: 'big', maxSteps: 4 };
const second: NamedAgent = {
  ...first,
  version: '2',
  instructions: 'Be brief.',
  tools: ['clock'],
  effort: 'low',
  temperature: 0.3,
  reasoning: false,
};
const offer = { models: ['small', 'big'], defaultModel: 'small', tools: ['clock', 'price'], agents: [first, second] };

it('a profile that names an agent is what that says, of its newest version', () => {
  expect(resolveProfile({ agent: 'support' }, offer)).toEqual({
    ok: true,
    value: {
      resolved: {
        model: 'big',
        tools: ['clock'],
        maxSteps: 4,
        agent: { name: 'support', version: '2' },
        temperature: 0.3,
        effort: 'low',
        reasoning: false,
      },
      agentInstructions: 'Be brief.',
    },
  });
});

it('a profile may name a version, and what it says itself wins', () => {
  const asked = { agent: 'support@1', model: 'small', maxSteps: 9, reasoning: false, effort: 'high' } as const;
  expect(resolveProfile(asked, offer)).toMatchObject({
    value: {
      resolved: {
        model: 'small',
        tools: offer.tools,
        maxSteps: 9,
        agent: { name: 'support', version: '1' },
        temperature: null,
        effort: 'high',
        reasoning: false,
      },
      agentInstructions: 'Be kind.',
    },
  });
});

it.each(['support@3', 'Support', 'support@', 'toString'])('an agent that is not offered is refused: %s', (agent) => {
  expect(resolveProfile({ agent }, offer)).toMatchObject({
    ok: false,
    refusal: { kind: 'invalid_input', issues: [{ path: '/profile/agent' }] },
  });
});

it('an agent with a tool that is away is refused as a profile with it is', () => {
  expect(resolveProfile({ agent: 'support' }, { ...offer, tools: [] })).toMatchObject({
    refusal: { reason: 'profile_unknown_tool' },
  });
});
