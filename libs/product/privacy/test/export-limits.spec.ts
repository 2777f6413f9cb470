import { randomBytes, randomUUID } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { conversationKind } from '@app/conversations';
import { encodeEvent, EventStore, streamName } from '@app/event-store';
import { causeOfService, Clock, Unavailable } from '@app/kernel';
import { operatorOf, type OperatorClient, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { askExport, exportedFiles } from '@app/testing/exports';
import { conversationOf, expectProblem, partOf, raw } from '@app/testing/journeys';
import { until } from '@app/testing/until';

const mebibyte = 1024 * 1024;
const filesOfUser = 20;
const fileBytes = 2 * mebibyte;
const [appends, eventsPerAppend, titleBytes] = [30, 100, 8_192];
/** Less than the user has. A whole deployment runs in this process, whose own memory varies by 30 MiB; `archive.spec.ts` measures closely. */
const growthMax = 44 * mebibyte;

let deployment: Deployment;
let operator: OperatorClient;
let user: TestClient;

/** A user with 40 MiB of files that do not compress, and 24 MiB of events. */
beforeAll(async () => {
  deployment = await startDeployment({
    mode: 'in-process',
    env: { CONNECTION_QUIET_SECONDS: '5', TRANSFER_SECONDS: '4' },
  });
  operator = await operatorOf(deployment, ['users']);
  user = await deployment.newUser();
  const conversation = await conversationOf(user, 'large');
  for (let n = 0; n < filesOfUser; n += 1) {
    const path = `/conversations/${conversation}/artifacts?name=file-${n}.bin`;
    const headers = { 'content-type': 'application/octet-stream' };
    expect(await raw(user, 'POST', path, { body: randomBytes(fileBytes), headers })).toMatchObject({ status: 201 });
  }
  const [store, clock] = [partOf(deployment, EventStore), partOf(deployment, Clock)];
  const stream = streamName(conversationKind, conversation);
  for (let n = 0; n < appends; n += 1) {
    const title = randomBytes(titleBytes / 2).toString('hex');
    const event = { type: 'conversation.updated', at: clock.now(), title } as const;
    const encoded = Array.from({ length: eventsPerAppend }, () =>
      encodeEvent(conversationKind, event, causeOfService('test', randomUUID())),
    );
    await store.append(stream, encoded, await store.lastRevision(stream));
  }
});
afterAll(() => deployment.stop());
afterEach(() => jest.restoreAllMocks());

const bodyOf = (response: Response) => {
  if (response.body === null) throw new Error('the answer has no body');
  return response.body;
};

/** Asks until an export begins: read models may be behind, or other exports in flight. */
async function begun(signal?: AbortSignal): Promise<Response> {
  return until('an export that begins', async () => {
    const response = await askExport(operator, user.userId, signal === undefined ? {} : { signal });
    if (response.status === 200) return response;
    await response.body?.cancel();
    return null;
  });
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  // Reason for the assertion: with the flag, a new context has the function.
  (runInNewContext('gc') as () => void)();
}

function liveBytes(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('an export of much', () => {
  it('is whole, though it takes longer than other answers may', async () => {
    const response = await begun();
    const pieces: Uint8Array[] = [];
    const startedMs = performance.now();
    for await (const chunk of bodyOf(response)) {
      pieces.push(chunk);
      // A reader of 7 MiB a second: 7 s.
      const aheadMs = (pieces.length * 65_536) / ((7 * mebibyte) / 1_000) - (performance.now() - startedMs);
      if (aheadMs > 50) await new Promise((resolve) => setTimeout(resolve, aheadMs));
    }
    const { manifest, events } = exportedFiles(Buffer.concat(pieces));
    expect(manifest.missing).toEqual({ total: 0, named: [] });
    expect(events.filter(({ type }) => type === 'conversation.updated')).toHaveLength(appends * eventsPerAppend);
  });

  it('needs memory that does not depend on how much there is', async () => {
    const response = await begun();
    const before = liveBytes();
    let [bytes, most, nextSample] = [0, 0, 0];
    for await (const chunk of bodyOf(response)) {
      bytes += chunk.length;
      if (bytes < nextSample) continue;
      most = Math.max(most, liveBytes() - before);
      nextSample = bytes + 12 * mebibyte;
    }
    console.log(
      `${Math.round(bytes / mebibyte)} MiB of archive, at most ${(most / mebibyte).toFixed(1)} MiB of live memory more than before`,
    );
    expect(bytes).toBeGreaterThan(filesOfUser * fileBytes);
    expect(most).toBeLessThan(growthMax);
  });

  it('is made for two at a time, and a place is free once a download is cancelled', async () => {
    const leaving = new AbortController();
    const [first, second] = [await begun(leaving.signal), await begun()];
    const third = await operator.post(`/users/${user.userId}/export`, { reason: 'the person asked for it' });
    expectProblem(third, 'rate_limited');
    expect(third.headers.get('retry-after')).toBe('30');
    leaving.abort();
    await expect(first.arrayBuffer()).rejects.toThrow();
    const fourth = await begun();
    await Promise.all([second, fourth].map((response) => bodyOf(response).cancel()));
  });

  it('is cut where its reader takes nothing', async () => {
    const idle = [await begun(), await begun()];
    // Its place becomes free by nothing but that.
    const next = await begun();
    await bodyOf(next).cancel();
    for (const response of idle) await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('breaks off where it cannot be completed, so that its reader notices', async () => {
    const store = partOf(deployment, EventStore);
    const { readRemaining } = store;
    jest.spyOn(store, 'readRemaining').mockImplementation(async (...args) => {
      if (args[0].startsWith('budget-')) throw new Unavailable('event store');
      return readRemaining.apply(store, args);
    });
    const response = await begun();
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('is refused where it cannot even begin', async () => {
    jest.spyOn(partOf(deployment, EventStore), 'endPositionOf').mockRejectedValue(new Unavailable('event store'));
    const { status, body } = await operator.post(`/users/${user.userId}/export`, { reason: 'the person asked for it' });
    expect([status, body]).toEqual([503, expect.objectContaining({ retryable: true })]);
  });
});
