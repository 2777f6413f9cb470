import { callResult } from './call-result';

const text = (words: string) => ({ type: 'text', text: words });
const okay = (result: object) => ({ outcome: 'ok', result });

describe('the result of a call', () => {
  it.each<[string, object, object]>([
    ['texts, line by line', { content: [text('a'), text('b')] }, { text: 'a\nb' }],
    ['nothing', { content: [] }, { text: '' }],
    ['structure', { content: [], structuredContent: { n: 1 } }, { text: '', structured: { n: 1 } }],
    ['a text resource', { content: [{ type: 'resource', resource: { uri: 'a:b', text: 'read' } }] }, { text: 'read' }],
    [
      'an image, by type and size only',
      { content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] },
      { text: '', attachments: [{ type: 'image', mediaType: 'image/png', bytes: 3 }] },
    ],
    [
      'a link',
      { content: [{ type: 'resource_link', uri: 'file:///x', name: 'x' }] },
      { text: '', attachments: [{ type: 'resource_link', mediaType: null, uri: 'file:///x' }] },
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
    // As FastMCP answers for a tool that returns a text.
    ['a text', { content: [text(long)], structuredContent: { result: long } }, { text: long }],
    // As it answers for an object, and as the specification asks of every server that returns structure.
    [
      'an object',
      { content: [text(JSON.stringify({ n: long }, null, 2))], structuredContent: { n: long } },
      { text: '', structured: { n: long } },
    ],
    // As it answers for a list: each item in a text of its own.
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

  // As the filesystem server of the MCP project answers for `read_media_file`.
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
    expect(callResult({ content: [text('Deep.')], structuredContent: deep }, 1024)).toEqual(okay({ text: 'Deep.' }));
  });
});
