/** An attempt ends within its 15 s whatever the receiver does with the connection, and its outcome says what that was. */
import { Configuration, readConfiguration } from '@app/runtime';
import { impoliteOutcomes, type ImpoliteKind } from '@app/testing/impolite';
import { NameServers } from '../src/delivery/resolver';
import { answerWithinMs, Sender } from '../src/delivery/sender';

const delivered = 'delivered 200';

const expected: Readonly<Record<ImpoliteKind, string>> = {
  'accepts, and says nothing': 'timeout null',
  'ends at once': 'cut_off null',
  'resets at once': 'cut_off null',
  'speaks before it is asked': delivered,
  'ends without an answer': 'cut_off null',
  'resets without an answer': 'cut_off null',
  'half-closes, and goes on listening': 'cut_off null',
  'switches protocols': 'status 101',
  'switches protocols, to none': 'status 101',
  'says continue, and no more': 'timeout null',
  'informs without end': 'timeout null',
  'drips its status line': 'timeout null',
  'drips its head': 'timeout null',
  'has an endless head': 'not_http null',
  'speaks no HTTP': 'not_http null',
  'speaks HTTP/2': 'not_http null',
  'has a status that is none': 'not_http null',
  'has two lengths': 'not_http null',
  // The status has said what there is to know.
  'sends less than it said': delivered,
  'sends more than it said': 'not_http null',
  'stops in its body': delivered,
  'resets in its body': delivered,
  'drips its body': delivered,
  'pours its body': delivered,
  'drips a stream of events': delivered,
  'pours one event': delivered,
  'has a chunk that is none': 'not_http null',
  'drips its trailers': delivered,
  'packs a great deal': delivered,
  'says gzip, and sends none': delivered,
  'redirects to itself': 'redirect 307',
  'refuses, with a body that never ends': 'status 503',
  'never ends its handshake': 'timeout null',
  'answers its handshake with junk': 'tls null',
};

it('ends within its limit, with an outcome', async () => {
  const environment = { LOG_LEVEL: 'silent', WEBHOOK_ALLOW_PRIVATE: 'true' };
  const sender = new Sender(new Configuration(readConfiguration(environment).env), new NameServers());
  const { signal } = new AbortController();
  const post = async (url: string): Promise<string> => {
    const outcome = await sender.post({ url: `${url}/`, headers: {}, body: Buffer.from('{}') }, signal);
    return `${outcome.kind === 'failed' ? outcome.failure : outcome.kind} ${outcome.status}`;
  };
  const found = await impoliteOutcomes({ attempt: post, limitMs: answerWithinMs, close: () => sender.close() });
  expect(found).toMatchObject({ hanging: [], left: [] });
  expect(found.ended).toEqual(expected);
  // It waited for all of that time, and not for less.
  expect(found.msOf['accepts, and says nothing']).toBeGreaterThan(answerWithinMs - 1_000);
});
