// A partner's program that uses the client, the same on every runtime.
import { ParleyClient } from '@parley/client';

const userId = '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11';
const conversationId = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e01';
const retry = { attempts: 2, firstDelayMs: 1, attemptMs: 3_000 };
const credentials = { partnerKey: 'pk_1', userToken: 'token' };

/**
 * @param {{ works: string, fails: Record<string, string> }} given base URLs: one that works, and others by their fault
 * @returns the results, as values that JSON can represent
 */
export async function tryOut({ works, fails }) {
  const failures = {};
  for (const [name, baseUrl] of Object.entries(fails)) failures[name] = await failureAt(baseUrl);
  return { works: await everythingAt(works), failures };
}

async function everythingAt(baseUrl) {
  const parley = new ParleyClient({ baseUrl, ...credentials, retry });
  const user = await parley.users.ensure();
  const started = await parley.runs.start({ conversationId, input: { text: 'hé' } });
  const listed = [];
  for await (const run of parley.runs.list({ limit: 1 })) listed.push(run.id);
  const content = new TextEncoder().encode('a,b');
  const uploaded = parley.artifacts.upload({ conversationId, name: 'a.csv', content, contentType: 'text/csv' });
  const { response } = await uploaded.withResponse();
  const { id: artifactId } = await uploaded;
  const bytes = await parley.artifacts.content({ conversationId, artifactId });
  const frames = [];
  for await (const frame of parley.conversations.stream({ conversationId })) {
    frames.push(frame.delivery === 'durable' ? frame.seq : frame.payload.text);
    if (frame.seq === 3) break;
  }
  const abort = new AbortController();
  abort.abort(new Error('enough'));
  const aborted = await parley.runs.get({ runId: 'r' }, { signal: abort.signal }).catch((error) => error.message);
  const refused = await parley.runs
    .abort({ runId: 'r' })
    .catch(({ name, reason, status }) => ({ name, reason, status }));
  return {
    user: user.userId === userId,
    echoed: started.echoed.input.text,
    runId: /^[0-9a-f-]{36}$/.test(started.echoed.runId),
    listed,
    upload: [response.status, artifactId],
    content: new TextDecoder().decode(bytes),
    frames,
    aborted,
    refused,
  };
}

/** The error of a call that must not be made twice. */
async function failureAt(baseUrl) {
  const parley = new ParleyClient({ baseUrl, ...credentials, userId, retry });
  return parley.conversations.create({ title: 'once' }).then(
    () => null,
    ({ name, kind, outcome, host, message }) => ({ name, kind, outcome, host, message }),
  );
}
