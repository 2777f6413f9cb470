import { isUnreachable, ParleyClient } from '@parley/client';
import { errorOf } from './example-calls';

/** An error as a runtime's fetch throws it, with its members. */
const failed = (message: string, members: object = {}, cause?: unknown) =>
  Object.assign(new TypeError(message, { cause }), members);

/** The rejection of a call whose fetch fails with this error. */
async function after(
  error: Error,
  baseUrl = 'https://parley.example.com',
): Promise<{ outcome: string; message: string }> {
  const fetch = () => Promise.reject(error);
  const client = new ParleyClient({ baseUrl, partnerKey: 'k', userToken: 't', fetch, retry: { attempts: 1 } });
  const caught = await errorOf(client.users.me());
  if (!isUnreachable(caught)) throw new Error(`no ParleyUnreachable: ${String(caught)}`);
  expect(caught.cause).toBe(error);
  expect(caught.host).toBe(baseUrl.startsWith('https') ? 'parley.example.com:443' : 'localhost:8080');
  return { outcome: caught.outcome, message: caught.message };
}

const node = (code: string, syscall?: string) =>
  failed('fetch failed', {}, Object.assign(new Error(code), { code, syscall }));
const deno = (step: string) =>
  failed('fetch failed', {}, new Error(`error sending request: client error (${step}): tcp`));

describe('a request that got no answer', () => {
  it.each([
    ['a refused connection', node('ECONNREFUSED', 'connect')],
    ['a name that nobody knows', node('ENOTFOUND', 'getaddrinfo')],
    ['no way there', node('EHOSTUNREACH', 'connect')],
    ['a reset while connecting', node('ECONNRESET', 'connect')],
    ['nobody who answers', node('UND_ERR_CONNECT_TIMEOUT')],
    ['a certificate of another name', node('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['a certificate that nobody signed', node('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['Bun, refused', failed('Unable to connect', { code: 'ECONNREFUSED' })],
    ['Bun, before 1.4', failed('Unable to connect', { code: 'ConnectionRefused' })],
    ['Bun, without TLS there', failed('EPROTO: The TLS handshake failed', { code: 'EPROTO' })],
    ['Deno, while connecting', deno('Connect')],
    ['a port that fetch bars', failed('fetch failed', {}, new Error('bad port'))],
    [
      'each of several addresses',
      failed('fetch failed', {}, new AggregateError([node('ECONNREFUSED', 'connect').cause])),
    ],
  ])('was not sent: %s', async (_, error) => {
    const { outcome, message } = await after(error);
    expect([outcome, message]).toEqual([
      'not_sent',
      expect.stringMatching(/^No connection to parley\.example\.com:443.*: the request was not sent$/),
    ]);
  });

  it.each([
    ['a reset', node('ECONNRESET', 'read')],
    ['no way there any more', node('EHOSTUNREACH', 'read')],
    ['closed by the other side', node('UND_ERR_SOCKET')],
    ['a broken record of TLS', node('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['Bun, closed', failed('The socket connection was closed unexpectedly', { code: 'ECONNRESET' })],
    ['Deno, while sending', deno('SendRequest')],
    ['a browser', failed('Failed to fetch')],
    [
      'one of several addresses',
      failed(
        'fetch failed',
        {},
        new AggregateError([node('ECONNREFUSED', 'connect').cause, node('ECONNRESET', 'read').cause]),
      ),
    ],
  ])('may have been carried out: %s', async (_, error) => {
    const { outcome, message } = await after(error, 'http://localhost:8080/parley');
    expect([outcome, message]).toEqual([
      'unknown',
      expect.stringMatching(
        /^The connection to localhost:8080 failed.*: whether the request was carried out is not known$/,
      ),
    ]);
  });

  it('says why, where the runtime does', async () => {
    expect((await after(node('ECONNREFUSED', 'connect'))).message).toBe(
      'No connection to parley.example.com:443 (ECONNREFUSED): the request was not sent',
    );
  });
});
