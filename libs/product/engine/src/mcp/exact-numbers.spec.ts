import { isFaithful, keepNumbers, keepNumbersOf, minified, rawKey } from './exact-numbers';

const messageOf = (structured: string, more = '') =>
  `{"jsonrpc":"2.0","id":1,"result":{"content":[]${more},"structuredContent": ${structured} ,"isError":false}}`;
const read = (message: string): unknown => Object(JSON.parse(keepNumbers(message))).result.structuredContent;

describe('numbers of structure', () => {
  it.each([
    '{"n": 9007199254740993}',
    '{"a":[{"price":1.10}]}',
    '[1.0]',
    '{"n":1e400}',
    '{"n":-0}',
    '{"s":"}\\"]","n":1E2}',
  ])('are kept as they are spelled: %s', (structured) =>
    expect(read(messageOf(structured))).toEqual({ [rawKey]: structured }),
  );

  it('are kept of an older server as well', () => {
    const message = '{"jsonrpc":"2.0","id":1,"result":{"toolResult":{"n":9007199254740993}}}';
    expect(JSON.parse(keepNumbers(message))).toMatchObject({
      result: { toolResult: { [rawKey]: '{"n":9007199254740993}' } },
    });
  });

  it.each(['{"n":1,"m":-2.5}', '{"s":"1.10"}', '[]', '{"n":1e+30}'])(
    'stay numbers where a double spells them alike: %s',
    (structured) => expect(read(messageOf(structured))).toEqual(JSON.parse(structured)),
  );

  it.each([
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1.0,"structuredContent":{"n":1.0}}}',
    '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"inputSchema":{"minimum":1.0},"structuredContent":{"n":1.0}}]}}',
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"\\"structuredContent\\":{1.0}"}]}}',
    'no JSON: "structuredContent": {1.0',
  ])('are looked for nowhere else: %s', (message) => expect(keepNumbers(message)).toBe(message));

  it('are kept in a stream of events, wherever its chunks are cut', async () => {
    const stream = `id: 7\ndata: ${messageOf('{"n":1.10}')}\n\n: 1.10\ndata: {"a":1.10}\n\n`;
    for (let size = 1; size < stream.length; size += 13) {
      const chunks =
        Buffer.from(stream)
          .toString('latin1')
          .match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const sent = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const chunk of chunks) controller.enqueue(new Uint8Array(Buffer.from(chunk)));
          controller.close();
        },
      });
      const out = sent.pipeThrough(keepNumbersOf(true));
      const expected = stream.replace(/data: .*"content".*/, `data: ${keepNumbers(messageOf('{"n":1.10}'))}`);
      expect(await new Response(out).text()).toBe(expected);
    }
  });

  it('take no longer for a long text', () => {
    const long = messageOf(`{"s":"${'\\\\"'.repeat(500_000)}","n":1.10}`);
    expect(keepNumbers(long)).toContain(rawKey);
    expect(isFaithful('"1.10" 2 [3.5]')).toBe(true);
    expect(minified('{ "a b" : [ 1 ,\n 2 ] }')).toBe('{"a b":[1,2]}');
  });
});
