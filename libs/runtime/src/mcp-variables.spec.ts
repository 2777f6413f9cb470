import { ConfigurationError, readConfiguration } from './configuration';

const web = { name: 'web', transport: { type: 'http', url: 'https://host/mcp' }, consent: 'ask' };
const child = { name: 'child', transport: { type: 'stdio', command: 'program' }, consent: 'auto' };
const reading = (servers: unknown) => readConfiguration({ MCP_SERVERS: JSON.stringify(servers) }).env.MCP_SERVERS;

describe('MCP_SERVERS', () => {
  it('is empty unless it is set', () => expect(readConfiguration({}).env.MCP_SERVERS).toEqual([]));

  it('fills in what may be left out', () => {
    const defaults = { tools: {}, timeoutMs: 30_000, resultBytesMax: 65_536 };
    expect(reading([web, child])).toEqual([
      { ...defaults, ...web },
      { ...defaults, ...child },
    ]);
  });

  it.each<[string, unknown]>([
    ['no list', web],
    ['no server', [3]],
    ['a name with other characters', [{ ...web, name: 'We_b' }]],
    ['a long name', [{ ...web, name: 'x'.repeat(21) }]],
    ['a name twice', [web, { ...child, name: 'web' }]],
    ['a member that is not known', [{ ...web, secret: 1 }]],
    ['no consent', [{ ...web, consent: undefined }]],
    ['another consent', [{ ...web, tools: { look: 'never' } }]],
    ['another transport', [{ ...web, transport: { type: 'sse', url: 'https://host' } }]],
    ['credentials in the address', [{ ...web, transport: { type: 'http', url: 'https://secret@host' } }]],
    ['a broken header', [{ ...web, transport: { ...web.transport, headers: { a: 'b\r\nc: d' } } }]],
    ['members of the other transport', [{ ...web, transport: { ...web.transport, command: 'program' } }]],
    ['no command', [{ ...child, transport: { type: 'stdio', command: '' } }]],
    ['no time', [{ ...web, timeoutMs: 0 }]],
    ['a bound beyond what is stored', [{ ...web, resultBytesMax: 1_000_000 }]],
    ['too many', Array.from({ length: 17 }, (_, index) => ({ ...web, name: `web${index}` }))],
  ])('refuses %s, and quotes nothing', (_, servers) => {
    expect(() => reading(servers)).toThrow(ConfigurationError);
    expect(() => reading(servers)).toThrow(/MCP_SERVERS: must (?!.*secret@)/);
  });

  it('refuses what is no JSON', () => {
    expect(() => readConfiguration({ MCP_SERVERS: '[secret' })).toThrow(/must be a JSON list of MCP servers/);
  });
});
