import { ConfigurationError } from '@app/runtime';
import { readConfiguration } from '../configuration';

const web = { name: 'web', transport: { type: 'http', url: 'https://host/mcp' }, consent: 'ask' };
const child = { name: 'child', transport: { type: 'stdio', command: 'program' }, consent: 'auto' };
const reading = (servers: unknown) => readConfiguration({ MCP_SERVERS: JSON.stringify(servers) }).env.MCP_SERVERS;

describe('MCP_SERVERS', () => {
  it('is empty unless it is set', () => expect(readConfiguration({}).env.MCP_SERVERS).toEqual([]));

  it('fills in what may be left out', () => {
    const defaults = { idempotent: null, tools: {}, timeoutMs: 30_000, startTimeoutMs: 60_000, resultBytesMax: 65_536 };
    expect(reading([web, child])).toEqual([
      { ...defaults, ...web },
      { ...defaults, ...child },
    ]);
  });

  it('takes a list of names as the only tools that are allowed', () => {
    expect(reading([{ ...web, tools: ['look', 'find'] }])).toMatchObject([
      { consent: 'off', tools: { look: { consent: 'ask' }, find: { consent: 'ask' } } },
    ]);
    expect(reading([{ ...web, tools: { look: 'off' } }])).toMatchObject([
      { consent: 'ask', tools: { look: { consent: 'off' } } },
    ]);
  });

  it('takes, of each tool, what is asked for and whether it does nothing twice', () => {
    const cancel = { consent: 'ask', consentSummary: 'Cancel order {/orderId}', idempotent: false };
    const tools = { list: 'auto', cancel, pay: { consent: 'ask' } };
    expect(reading([{ ...web, idempotent: true, tools }])).toMatchObject([
      {
        idempotent: true,
        tools: {
          list: { consent: 'auto', idempotent: true, consentSummary: null },
          cancel: { consent: 'ask', idempotent: false, consentSummary: ['Cancel order ', { pointer: '/orderId' }] },
          pay: { consent: 'ask', idempotent: true, consentSummary: null },
        },
      },
    ]);
    expect(reading([{ ...web, idempotent: true, tools: ['list'] }])).toMatchObject([
      { consent: 'off', tools: { list: { consent: 'ask', idempotent: true } } },
    ]);
  });

  it('takes tokens from a file, and credentials of a client with one secret', () => {
    const account = { issuer: 'https://issuer', clientId: 'parley' };
    const more = [
      { tokenFile: '/run/token' },
      { clientCredentials: { ...account, clientSecret: 'secret', scope: 'tools' } },
      { clientCredentials: { ...account, clientSecretFile: '/run/secret' } },
      { clientCredentials: { ...account, privateKeyFile: '/run/key.pem', algorithm: 'RS256' } },
    ];
    const servers = more.map((way, index) => ({
      ...web,
      name: `web${index}`,
      transport: { ...web.transport, ...way },
    }));
    expect(reading(servers)).toMatchObject(servers);
  });

  const account = { issuer: 'https://issuer', clientId: 'parley' };
  const withWay = (way: object) => [{ ...web, transport: { ...web.transport, ...way } }];
  it.each<[string, unknown]>([
    ['a file and credentials', withWay({ tokenFile: 'a', clientCredentials: { ...account, clientSecret: 'secret@' } })],
    ['no secret', withWay({ clientCredentials: account })],
    ['two secrets', withWay({ clientCredentials: { ...account, clientSecret: 'secret@', clientSecretFile: 'a' } })],
    ['no issuer', withWay({ clientCredentials: { clientId: 'a', clientSecret: 'secret@' } })],
    [
      'an algorithm without a key',
      withWay({ clientCredentials: { ...account, clientSecret: 'a', algorithm: 'ES256' } }),
    ],
    ['no list', web],
    ['no server', [3]],
    ['a name with other characters', [{ ...web, name: 'We_b' }]],
    ['a long name', [{ ...web, name: 'x'.repeat(21) }]],
    ['a name twice', [web, { ...child, name: 'web' }]],
    ['a member that is not known', [{ ...web, secret: 1 }]],
    ['no consent', [{ ...web, consent: undefined }]],
    ['another consent', [{ ...web, tools: { look: 'never' } }]],
    ['a tool without consent', [{ ...web, tools: { look: { idempotent: true } } }]],
    ['a member of a tool that is not known', [{ ...web, tools: { look: { consent: 'ask', secret: 1 } } }]],
    ['words for who is not asked', [{ ...web, tools: { look: { consent: 'auto', consentSummary: 'Look' } } }]],
    ['broken words', [{ ...web, tools: { look: { consent: 'ask', consentSummary: 'Look at {secret@}' } } }]],
    ['our own header', [{ ...web, transport: { ...web.transport, headers: { 'parley-context': 'secret@' } } }]],
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
