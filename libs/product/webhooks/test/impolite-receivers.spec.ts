/**
 * An attempt ends within its 15 s whatever the receiver does with the connection, and its outcome says what that was.
 */
import { Configuration, readConfiguration } from '@app/settings';
import { impoliteOutcomes, type ImpoliteKind } from '@app/testing/impolite';
import { until } from '@app/testing/until';
import { EndpointHealths } from '../src/endpoint/endpoint-health';
import { NameServers } from '../src/delivery/resolver';
import { answerWithinMs, Sender } from '../src/delivery/sender';
import { DeliveryStage } from './delivery-stage';

/** The wait for attempts at a stop, plus time to record their end on a busy machine. */
const stoppedWithinMs = 10_000;
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
  // The status is all that is needed.
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
  // The attempt waited for the whole timeout, not less.
  expect(found.msOf['accepts, and says nothing']).toBeGreaterThan(answerWithinMs - 1_000);
});

describe('an endpoint', () => {
  let stage: DeliveryStage;
  beforeAll(async () => void (stage = await DeliveryStage.open()));
  afterAll(async () => {
    for (const partner of stage.partners) await partner.leave();
  });

  it('that switches protocols fails, shows since when, and is asked again when it has recovered', async () => {
    const registered = await stage.endpoint();
    registered.partner.manner = () => 'upgrade';
    // More than may be attempted at once.
    const journals = await Promise.all(Array.from({ length: 12 }, () => stage.journal()));
    await Promise.all(journals.map((journal) => stage.tell(journal)));
    const { endpointId } = registered;
    const health = async () => (await stage.workers[0]?.get(EndpointHealths).of([endpointId]))?.get(endpointId);
    await until('its failure', async () => ((await health())?.failingSince == null ? null : true));
    const [{ lastAttempt = null } = {}] = (await stage.listed(registered)).filter(({ attempts }) => attempts > 0);
    expect(lastAttempt).toMatchObject({ status: 101, failure: 'status' });
    registered.partner.manner = () => 'take';
    stage.moveClock(11 * 3_600_000);
    const views = await stage.untilDone(registered, 12);
    expect(views.map(({ state }) => state)).toEqual(views.map(() => 'delivered'));
  });

  it('that hangs does not hold up a stop (the last test)', async () => {
    const { partner } = await stage.endpoint();
    partner.manner = () => 'hang';
    const journals = await Promise.all(Array.from({ length: 12 }, () => stage.journal()));
    await Promise.all(journals.map((journal) => stage.tell(journal)));
    await until('attempts', async () => (partner.heard.length >= 8 ? true : null));
    const startedMs = performance.now();
    await stage.slices.stop();
    expect(performance.now() - startedMs).toBeLessThan(stoppedWithinMs);
  });
});
