/** Spans of agents are what OpenTelemetry's conventions for generative AI say, compared with their published registry. */
import * as registry from '@opentelemetry/semantic-conventions/incubating';
import { attributesOf, type ReceivedSpan } from '@app/testing/observability';
import { readFileSync } from 'node:fs';
import { named, TracedStage } from './traced-stage';

const constants: readonly (readonly [string, unknown])[] = Object.entries(registry);
const namePrefix = 'ATTR_GEN_AI_';
/** Names that the registry keeps for programs of before, with another one in their place or none. */
const replaced = ['system', 'prompt', 'completion', 'usage.prompt_tokens', 'usage.completion_tokens'];
const registered = new Map(
  constants.flatMap(([constant, name]) =>
    constant.startsWith(namePrefix) && !replaced.some((old) => name === `gen_ai.${old}`)
      ? [[String(name), constant.slice(namePrefix.length)] as const]
      : [],
  ),
);

/** The values that the registry lists for an attribute; empty if it lists none. */
function listedValues(name: string): readonly unknown[] {
  const prefix = `GEN_AI_${registered.get(name) ?? ''}_VALUE_`;
  return constants.flatMap(([constant, value]) => (constant.startsWith(prefix) ? [value] : []));
}

/** The attributes of a span that the registry does not know, or whose value it does not list. */
function unlisted(span: ReceivedSpan): readonly unknown[] {
  return Object.entries(attributesOf(span)).filter(([name, value]) => {
    if (!name.startsWith('gen_ai.')) return false;
    const values = listedValues(name);
    return !registered.has(name) || (values.length > 0 && !values.includes(value));
  });
}

it('the comparison finds a name and a value that the registry does not list', () => {
  const attributes = Object.entries({ 'gen_ai.operation.name': 'ask', 'gen_ai.tokens': '1', 'gen_ai.tool.name': 'x' });
  const listed = attributes.map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const span = { attributes: listed } as unknown as ReceivedSpan; // reason: nothing else of the span is compared
  expect(unlisted(span)).toEqual([
    ['gen_ai.operation.name', 'ask'],
    ['gen_ai.tokens', '1'],
  ]);
});

const kinds = { internal: 1, client: 3 } as const;
const AGENTS = JSON.stringify({ clerk: { version: '2026-11', instructions: 'Be brief.' } });
const script = [
  {
    text: ['I look.'],
    calls: [
      { tool: 'current_time', input: { timezone: 'Asia/Tokyo' } },
      { tool: 'current_time', input: { timezone: 'Nowhere/Nothing' } },
    ],
  },
  { text: ['Noon.'], usage: { inputTokens: 120, outputTokens: 7, cachedInputTokens: 64 } },
];

describe.each([
  ['openai-compatible', 'openai'],
  ['anthropic', 'anthropic'],
] as const)('a run whose models are %s', (provider, providerName) => {
  let traced: TracedStage;
  let spans: readonly ReceivedSpan[];
  beforeAll(async () => {
    traced = await TracedStage.start(provider, { AGENTS });
    traced.stage.models.says(script);
    spans = await traced.agentSpans('what time is it', { agent: 'clerk' });
  });
  afterAll(() => traced.stop());

  const of = (name: string) => named(spans, name).map(attributesOf);
  const agentOf = (all: readonly ReceivedSpan[]) => named(all, 'invoke_agent')[0];

  it('has no attribute of the conventions, and no value, that is not in their registry', () => {
    expect(spans.flatMap(unlisted)).toEqual([]);
    const used = new Set(
      spans.flatMap((span) => Object.keys(attributesOf(span))).filter((name) => registered.has(name)),
    );
    expect(used.size).toBeGreaterThanOrEqual(14);
  });

  it('has spans of the names and kinds of the conventions', () => {
    const found = ['invoke_agent', 'chat', 'execute_tool'].flatMap((name) => named(spans, name));
    expect(found.map(({ name, kind }) => [name, kind])).toEqual(
      expect.arrayContaining([
        ['invoke_agent clerk', kinds.internal],
        ['chat scripted-1', kinds.client],
        ['execute_tool current_time', kinds.internal],
      ]),
    );
    expect(found).toHaveLength(5);
  });

  it('says which agent, provider and models', () => {
    const { hostname, port } = new URL(traced.stage.models.baseUrl);
    expect(of('invoke_agent')).toMatchObject([
      {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': providerName,
        'gen_ai.request.model': 'scripted-1',
        'gen_ai.agent.name': 'clerk',
        'gen_ai.agent.version': '2026-11',
        'gen_ai.conversation.id': traced.conversationId,
      },
    ]);
    const chat = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': providerName,
      'gen_ai.request.model': 'scripted-1',
      'gen_ai.request.stream': true,
      'gen_ai.response.model': 'scripted',
      'gen_ai.conversation.id': traced.conversationId,
      'server.address': hostname,
      'server.port': Number(port),
    };
    expect(of('chat')).toMatchObject([
      { ...chat, 'gen_ai.response.finish_reasons': ['tool_call'] },
      {
        ...chat,
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': 120,
        'gen_ai.usage.cache_read.input_tokens': 64,
        'gen_ai.usage.output_tokens': 7,
      },
    ]);
  });

  it('says the outcome of each tool', () => {
    const tool = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'current_time',
      'gen_ai.tool.type': 'function',
    };
    const outcomes = of('execute_tool').map((call) => [call['parley.outcome'], call['error.type'] ?? null]);
    expect(of('execute_tool')).toMatchObject([tool, tool]);
    expect(outcomes.sort()).toEqual([
      ['error', 'tool_error'],
      ['ok', null],
    ]);
  });

  it('fails its spans by kind, without the words of the provider', async () => {
    traced.stage.models.says([{ status: 400, message: 'the provider said xyzzy' }]);
    const failed = await traced.agentSpans('what time is it');
    const [chat, agent] = [named(failed, 'chat')[0], agentOf(failed)];
    expect([chat?.status.code, agent?.status.code]).toEqual([2, 2]);
    expect(chat && attributesOf(chat)).toMatchObject({ 'error.type': 'refused_request', 'parley.outcome': 'failed' });
    expect(agent && attributesOf(agent)).toMatchObject({ 'error.type': 'provider_error', 'parley.outcome': 'failed' });
    expect(traced.receiver.text).not.toContain('xyzzy');
  });

  it.each([
    ['length', 'length', undefined],
    ['cut', 'error', 'broken_off'],
  ] as const)('names the reason of an answer whose ending is %s', async (ending, reason, trouble) => {
    traced.stage.models.says([{ text: ['Noon, and'], ending }]);
    const [chat] = named(await traced.agentSpans('what time is it'), 'chat');
    const { 'gen_ai.response.finish_reasons': reasons, 'error.type': type } = chat ? attributesOf(chat) : {};
    expect([reasons, type]).toEqual([[reason], trouble]);
  });

  it('has no attribute that the page of traces does not explain', () => {
    const page = readFileSync('docs/traces.md', 'utf8');
    const found = ['invoke_agent', 'step', 'chat', 'execute_tool'].flatMap((name) => of(name).flatMap(Object.keys));
    expect([...new Set(found)].filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
    const explained = page.match(/(?<=^\| `)gen_ai\.[a-z_.]+(?=` \|)/gm) ?? [];
    expect(explained.filter((name) => !registered.has(name))).toEqual([]);
  });
});
