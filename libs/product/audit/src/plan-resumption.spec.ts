/** A successor asks its witnesses first: one that has seen more is named, with what to do, and only an explicit word goes over it. */
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { readConfiguration, type Configuration } from '@app/runtime';
import { witnessKey } from '@app/testing/transparency';
import { verifierKeyText } from '@app/transparency';
import type { CheckpointsState, SignedCheckpoint } from './checkpoints.decider';
import { PlanResumption, PlanResumptionHandler } from './plan-resumption';

const newest = {
  size: 10,
  note: 'a note\n\n— log AAAA\n',
  cosignatures: [],
} as Partial<SignedCheckpoint> as SignedCheckpoint; // all that is shown to witnesses

let server: Server;
let answer = { status: 200, body: '' };
let asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      asked.push(body);
      response.writeHead(answer.status).end(answer.body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => (asked = []));

function configuration(): Configuration {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const WITNESSES = `${verifierKeyText(witnessKey)} http://127.0.0.1:${port}`;
  return readConfiguration({ PARLEY_MODE: 'sandbox', WITNESSES, WITNESSES_NEEDED: '1' });
}

async function planned(as: 'copy' | 'successor', despite = false, signed: readonly SignedCheckpoint[] = [newest]) {
  const hold = { id: 'h1', why: 'restored', since: null, says: 'it was restored' };
  const handler = new PlanResumptionHandler(
    { hold: async () => hold } as never, // no more of it is asked
    { current: async () => ({ signed }) as Partial<CheckpointsState> } as never,
    configuration(),
  );
  return handler.execute(new PlanResumption(as, despite));
}

const messageOf = (result: Awaited<ReturnType<typeof planned>>): string =>
  !result.ok && result.refusal.kind === 'invalid_input' ? (result.refusal.issues[0]?.message ?? '') : 'accepted';

it('goes on where the witness has seen no more than there is', async () => {
  answer = { status: 409, body: '7\n' };
  expect(await planned('successor')).toMatchObject({ ok: true, value: { as: 'successor', hold: 'h1', above: 7 } });
  expect(asked).toEqual([`old 10\n\n${newest.note}`]);
});

it('refuses where the witness has seen more, and goes on beyond it when it is told to', async () => {
  answer = { status: 409, body: '25\n' };
  const refused = messageOf(await planned('successor'));
  expect(refused).toContain(`Witness ${witnessKey.name} has seen 25 events of the log, and 10 are signed here.`);
  expect(refused).toContain('Restore a copy that is as new, or resume as a copy');
  expect(await planned('successor', true)).toMatchObject({ ok: true, value: { above: 25 } });
});

it('refuses where the witness has seen another tree, does not answer, or cannot be asked', async () => {
  answer = { status: 409, body: '10\n' };
  expect(messageOf(await planned('successor'))).toContain('it has seen another tree of 10 events');
  answer = { status: 500, body: 'no' };
  expect(messageOf(await planned('successor'))).toContain('does not say what it has seen (status 500: no)');
  expect(messageOf(await planned('successor', false, []))).toContain('cannot be asked');
});

it('asks nobody for a copy, which gets a name of its own', async () => {
  answer = { status: 409, body: '25\n' };
  expect(await planned('copy')).toMatchObject({ ok: true, value: { as: 'copy', above: 0 } });
  expect(asked).toEqual([]);
});
