/** The double of the collector refuses the same requests as the real one, so that a wrong export of ours is found here. */
import { OtlpReceiver } from '../src/observability';

let receiver: OtlpReceiver;
beforeAll(async () => {
  receiver = await OtlpReceiver.start();
});
afterAll(() => receiver.close());

const json = 'application/json';
const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const bodyOf = (span: object): string => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });

async function sent(method: string, path: string, type: string, body: string | null): Promise<number> {
  const response = await fetch(receiver.endpoint + path, { method, headers: { 'content-type': type }, body });
  await response.text();
  return response.status;
}

it.each([
  ['another path', 'POST', '/', json, bodyOf(ids), 404],
  ['another method', 'GET', '/v1/traces', json, null, 405],
  ['a body that is not declared as JSON', 'POST', '/v1/traces', 'text/plain', bodyOf(ids), 415],
  ['a body that is no JSON', 'POST', '/v1/traces', json, '{', 400],
  ['an id in base64', 'POST', '/v1/traces', json, bodyOf({ ...ids, traceId: 'CvdlGRbNQ92ESOshHIAxnA==' }), 400],
  ['an id that is too short', 'POST', '/v1/traces', json, bodyOf({ ...ids, spanId: 'b7ad' }), 400],
] as const)('%s is refused', async (_what, method, path, type, body, status) => {
  expect(await sent(method, path, type, body)).toBe(status);
  expect(receiver.spans).toEqual([]);
});

it('what is as it should be is kept', async () => {
  expect(await sent('POST', '/v1/traces', `${json}; charset=utf-8`, bodyOf(ids))).toBe(200);
  expect(receiver.spans.splice(0)).toEqual([ids]);
});
