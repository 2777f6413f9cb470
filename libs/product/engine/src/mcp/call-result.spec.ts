import { callResult, reportError } from './call-result';
import { rawKey } from './exact-numbers';

const text = (words: string) => ({ type: 'text', text: words });
const okay = (result: object) => ({ outcome: 'ok', result });

describe('the result of a call', () => {
  it.each<[string, object, object]>([
    ['texts, line by line', { content: [text('a'), text('b')] }, { text: 'a\nb' }],
    ['nothing', { content: [] }, { text: '' }],
    ['structure', { content: [], structuredContent: { n: 1 } }, { text: '', structured: { n: 1 } }],
    [
      'a text resource, with its address',
      { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'read' } }] },
      { text: 'read', attachments: [{ type: 'resource', mediaType: null, uri: 'a:b' }] },
    ],
    [
      'a file, by type, size and address',
      { content: [{ type: 'resource', resource: { uri: 'a:b', mimeType: 'application/pdf', blob: 'AAAA' } }] },
      { text: '', attachments: [{ type: 'resource', mediaType: 'application/pdf', uri: 'a:b', bytes: 3 }] },
    ],
    [
      'a sound',
      { content: [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }] },
      { text: '', attachments: [{ type: 'audio', mediaType: 'audio/wav', bytes: 3 }] },
    ],
    [
      'a part of an unknown type',
      { content: [{ type: 'chart', points: [1, 2] }] },
      { text: '', attachments: [{ type: 'chart', points: [1, 2] }] },
    ],
    ['a bare text', { content: ['a', text('b')] }, { text: 'a\nb' }],
    ['a text that is none', { content: [{ type: 'text', text: { n: 1 } }] }, { text: '{"n":1}' }],
    ['structure alone', { structuredContent: { n: 1 } }, { text: '', structured: { n: 1 } }],
    ['the result of an older server', { toolResult: { n: 1 } }, { text: '', structured: { n: 1 } }],
    ['structure that is no object', { content: [], structuredContent: 'x' }, { text: '', structured: 'x' }],
    [
      'what clients alone may use, left out',
      { content: [{ ...text('a'), _meta: { k: 1 } }], _meta: { k: 1 } },
      { text: 'a' },
    ],
    [
      'a text whose number differs from that of the structure',
      { content: [text('{"n":9007199254740993}')], structuredContent: { n: 9007199254740992 } },
      { text: '{"n":9007199254740993}', structured: { n: 9007199254740992 } },
    ],
    [
      'structure that a double would spell otherwise, as its JSON',
      { content: [text('Paid.')], structuredContent: { [rawKey]: '{"paid": 1.10}' } },
      { text: 'Paid.\n{"paid": 1.10}' },
    ],
    [
      'a member of that sort that the server made up, as structure',
      { content: [text('Paid.')], structuredContent: { 'parley/json': '{"paid": 1.10}' } },
      { text: 'Paid.', structured: { 'parley/json': '{"paid": 1.10}' } },
    ],
    [
      'such structure once where the text is its copy',
      { content: [text('{ "paid": 1.10 }')], structuredContent: { [rawKey]: '{"paid":1.10}' } },
      { text: '{ "paid": 1.10 }' },
    ],
    [
      'such structure beside a text that is no copy, to the last digit',
      { content: [text('{"paid":1.1}')], structuredContent: { [rawKey]: '{"paid":1.10}' } },
      { text: '{"paid":1.1}\n{"paid":1.10}' },
    ],
    [
      'an image, by type and size only',
      { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
      { text: '', attachments: [{ type: 'image', mediaType: 'image/png', bytes: 3 }] },
    ],
    [
      'a link',
      { content: [{ type: 'resource_link', uri: 'file:///x', name: 'x' }] },
      { text: '', attachments: [{ type: 'resource_link', mediaType: null, uri: 'file:///x', name: 'x' }] },
    ],
    ['what no store can hold', { content: [text('a\u0000\ud800')] }, { text: 'a\ufffd\ufffd' }],
  ])('is %s', (_, given, expected) => {
    expect(callResult(given, 1024)).toEqual(okay(expected));
  });

  it('is an error where the server says so, in its words', () => {
    expect(callResult({ isError: true, content: [text('no')] }, 1024)).toEqual({
      outcome: 'error',
      result: { error: 'the tool reports an error', reported: 'no' },
    });
  });

  it.each([null, 'text', [], {}, { content: 'text' }])('is not understood as %j', (given) => {
    expect(callResult(given, 1024)).toEqual({ outcome: 'error', result: { error: 'the answer was not understood' } });
  });

  const long = 'x'.repeat(900);
  it.each<[string, object, object]>([
    // FastMCP's answer for a tool that returns a text.
    ['a text', { content: [text(long)], structuredContent: { result: long } }, { text: long }],
    // Its answer for an object, and the one that the specification requires of every server that returns structure.
    [
      'an object',
      { content: [text(JSON.stringify({ n: long }, null, 2))], structuredContent: { n: long } },
      { text: '', structured: { n: long } },
    ],
    // Its answer for a list: each item in a text of its own.
    [
      'a list',
      { content: [text('{"n": 1}'), text(long)], structuredContent: { result: [{ n: 1 }, long] } },
      { text: '', structured: { result: [{ n: 1 }, long] } },
    ],
  ])('records %s that comes twice once, and counts it once', (_, given, expected) => {
    expect(callResult(given, 1024)).toEqual(okay(expected));
  });

  it('keeps a text that says something else than the structure', () => {
    const given = { content: [text('Two pages.')], structuredContent: { pages: 2 } };
    expect(callResult(given, 1024)).toEqual(okay({ text: 'Two pages.', structured: { pages: 2 } }));
  });

  // The answer of the MCP project's filesystem server to `read_media_file`.
  it('shows no bytes as text, in a copy of them neither', () => {
    const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' };
    expect(callResult({ content: [image], structuredContent: { content: [image] } }, 1024)).toEqual(
      okay({
        text: '',
        structured: { content: [{ type: 'image', mediaType: 'image/png', bytes: 8 }] },
        attachments: [{ type: 'image', mediaType: 'image/png', bytes: 8 }],
      }),
    );
  });

  it.each<[string, object, string]>([
    ['text', { content: [text('x'.repeat(5000))] }, 'x'],
    ['text of several bytes', { content: [text('\u{1F426}'.repeat(600))] }, '\u{1F426}'],
    ['text that JSON escapes', { content: [text('"\n'.repeat(2000))] }, '"\n'],
    ['structure', { content: [], structuredContent: ['x'.repeat(5000)] }, '["xxx'],
    [
      'attachments',
      {
        content: [
          text('x'.repeat(5000)),
          ...Array.from({ length: 30 }, () => ({ type: 'image', mimeType: 'y'.repeat(150), data: 'AAAA' })),
        ],
      },
      'x',
    ],
  ])('cuts %s over the bound, and says so', (_, given, beginning) => {
    const { outcome, result } = callResult(given, 1024);
    const bytes = Buffer.byteLength(JSON.stringify(result));
    expect([outcome, result]).toMatchObject(['ok', { truncated: true }]);
    expect(bytes).toBeLessThanOrEqual(1024);
    expect(bytes).toBeGreaterThan(1016);
    const { text: kept } = Object(result) as { text: string };
    expect(kept.startsWith(beginning)).toBe(true);
    expect(kept).not.toMatch(/\p{Surrogate}/u);
  });

  it('survives structure of any depth', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 5000; level += 1) deep = { deep };
    expect(callResult({ content: [text('Deep.')], structuredContent: deep }, 1024)).toEqual(
      okay({ text: 'Deep.', truncated: true }),
    );
  });

  const link = {
    type: 'resource_link',
    uri: `https://files.example/a?signature=${'s'.repeat(300)}`,
    name: 'report.pdf',
    title: 'Report',
    description: 'Q3',
    size: 12345,
    mimeType: 'application/pdf',
    annotations: { audience: ['user'], priority: 0.5 },
  };

  it('tells a link whole, or cut and marked', () => {
    const { mimeType: mediaType, ...told } = link;
    expect(callResult({ content: [link] }, 4096)).toEqual(okay({ text: '', attachments: [{ ...told, mediaType }] }));
    const long = { ...link, uri: `https://files.example/${'u'.repeat(5000)}` };
    const cut = { ...told, mediaType, uri: long.uri.slice(0, 4096), cut: ['uri'] };
    expect(callResult({ content: [long] }, 8192)).toEqual(okay({ text: '', attachments: [cut] }));
  });

  it('marks what it leaves out: links after the twentieth, and parts of unknown types that are too long', () => {
    const { result } = callResult({ content: Array.from({ length: 21 }, () => ({ ...link, uri: 'a:b' })) }, 65_536);
    expect(result).toMatchObject({ truncated: true, attachments: { length: 20 } });
    const chart = { type: 'chart', points: 'x'.repeat(5000) };
    expect(callResult({ content: [chart] }, 65_536).result).toMatchObject({
      attachments: [{ json: JSON.stringify(chart).slice(0, 4096), cut: ['json'] }],
    });
  });

  it('tells an error with its structure and its files, and cuts it with a mark', () => {
    const failed = { isError: true, content: [text('no'), link], structuredContent: { code: 'E7', retryAfter: 30 } };
    expect(callResult(failed, 4096)).toMatchObject({
      outcome: 'error',
      result: { reported: 'no', structured: { code: 'E7', retryAfter: 30 }, attachments: [{ name: 'report.pdf' }] },
    });
    const { result } = callResult({ isError: true, content: [text('x'.repeat(5000))] }, 1024);
    expect(result).toMatchObject({ error: 'the tool reports an error', truncated: true });
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThanOrEqual(1024);
    expect(reportError('x'.repeat(3000)).result).toMatchObject({ reported: 'x'.repeat(2000), truncated: true });
  });
});
