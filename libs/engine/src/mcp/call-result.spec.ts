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

  it('is an error over its bound', () => {
    expect(callResult({ content: [text('x'.repeat(1000))] }, 1024)).toMatchObject({ outcome: 'ok' });
    expect(callResult({ content: [text('é'.repeat(600))] }, 1024)).toMatchObject({ outcome: 'error' });
    expect(callResult({ content: [], structuredContent: ['x'.repeat(2000)] }, 1024)).toMatchObject({
      outcome: 'error',
    });
  });
});
