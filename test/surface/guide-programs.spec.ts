/** The programs of the guides, in every language with a runtime on this machine, against the service and over an unreliable connection. */
import { PackedProject } from '../client/packed';
import { conversationOf, journal, say, startLongRun } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import type { Command } from '@app/testing/programs';
import { languages, makersHere, printedBy, programOf, type Language } from './guide-programs';
import { LosingProxy, type LosingProxyOptions } from './losing-proxy';

const withinMs = 300_000;
const guides = ['streaming', 'errors', 'automations'] as const;
type Guide = (typeof guides)[number];

/** The pause that `stream_capacity` asks of a client, less a tolerance because timers may fire a little early. */
const retryAfterMs = 5_000 - 20;

let deployment: Deployment;
let project: PackedProject;
const programs = new Map<Language, Record<Guide, Command>>();

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent', STREAMS_PER_USER: '1' } });
  project = await PackedProject.create();
  for (const [language, make] of await makersHere(project)) {
    const codes = {
      streaming: await programOf('streaming', language),
      errors: await programOf('errors', language),
      automations: await programOf('automations', language),
    };
    programs.set(language, await make(codes));
  }
}, withinMs);
afterAll(async () => {
  await project?.remove();
  await deployment?.stop();
  const ran = [...programs.keys()].join(', ');
  const left = languages.filter((language) => !programs.has(language)).join(', ');
  process.stdout.write(`guides: programs in ${ran} ran${left === '' ? '' : `; no runtime is here for ${left}`}\n`);
});

/** Runs the same test in all languages at once, each with a user of its own. */
async function inEach(act: (commands: Record<Guide, Command>, user: TestClient) => Promise<void>): Promise<void> {
  expect([...programs.keys()]).toEqual(expect.arrayContaining(['ts', 'python']));
  await Promise.all(
    [...programs].map(async ([language, commands]) => {
      try {
        await act(commands, await deployment.newUser());
      } catch (cause) {
        throw new Error(`in ${language}: ${String(cause)}`, { cause });
      }
    }),
  );
}

function settings(user: TestClient, baseUrl: string, more: Readonly<Record<string, string>>) {
  return { BASE_URL: baseUrl, PARTNER_KEY: user.partnerKey, USER_TOKEN: user.token, USER_ID: user.userId, ...more };
}

/** Runs a program whose calls go through a proxy; returns its output and the requests that passed. */
async function ranThrough(options: LosingProxyOptions, command: Command, user: TestClient, CONVERSATION: string) {
  const proxy = await LosingProxy.start(user.baseUrl, options);
  try {
    const printed = await printedBy(command, settings(user, proxy.baseUrl, { CONVERSATION }));
    return { printed, passed: proxy.passed };
  } finally {
    await proxy.stop();
  }
}

it('are there in each language', async () => {
  for (const guide of guides) {
    for (const language of languages) expect(await programOf(guide, language)).not.toBe('');
  }
});

it(
  'follow a stream: they wait as they are asked to, and go on behind the last event when a connection breaks',
  async () => {
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 0 } });
    await inEach(async ({ streaming }, user) => {
      const conversationId = await conversationOf(user);
      await say(user, conversationId, 'repeat after me: one two three');
      const happened = (await journal(user, conversationId)).map(
        ({ seq, payload }) => `${seq} ${String(payload['type'])}`,
      );
      const taken = await user.stream(`/conversations/${conversationId}/stream`);
      const options: LosingProxyOptions = {
        admit: async (attempt) => {
          if (attempt === 2) await taken.close();
        },
        // In the middle of a frame.
        fateOf: (status, nth) => (status === 200 && nth === 1 ? { cutBehind: /\nid: 3\nevent/ } : 'pass'),
      };
      const { printed, passed } = await ranThrough(options, streaming, user, conversationId);
      expect(printed).toEqual(happened);
      const [refused, next] = passed;
      expect(refused?.status).toBe(429);
      expect((next?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThan(retryAfterMs);
      expect(passed.filter(({ status }) => status === 200).map(({ lastEventId }) => lastEventId)).toEqual(['0', '2']);
    });
  },
  withinMs,
);

it(
  'repeat a call that was refused as busy, and one whose answer was lost, and start one run',
  async () => {
    await deployment.sandbox('PUT', 'faults', { model: { delayMs: 60_000 } });
    await inEach(async ({ errors }, user) => {
      const conversationId = await conversationOf(user);
      const busy = await startLongRun(user, conversationId);
      const options: LosingProxyOptions = {
        admit: async (attempt) => {
          if (attempt === 2) await user.post(`/agent-runs/${busy}/abort`);
        },
        fateOf: (status, nth) => (status === 202 && nth === 1 ? 'lose' : 'pass'),
      };
      const { printed, passed } = await ranThrough(options, errors, user, conversationId);
      const statuses = passed.map(({ status }) => status);
      expect(statuses[0]).toBe(409);
      expect(statuses.slice(-2)).toEqual([202, 202]);
      const ids = new Set(passed.map(({ body }) => String(Reflect.get(Object(JSON.parse(body)), 'runId'))));
      expect([...ids].map((id) => `accepted ${id}`)).toEqual(printed);
      const { body } = await user.get<{ data: { id: string }[] }>('/agent-runs');
      expect(body.data.map(({ id }) => id)).toEqual([...ids, busy]);
    });
  },
  withinMs,
);

it(
  "sign an automation's event, which is taken once, and by the right secret only",
  async () => {
    await inEach(async ({ automations }, user) => {
      const { body } = await user.post<{ id: string; revision: number }>('/automations', {
        name: 'Greet every order',
        prompt: 'help',
        conversation: 'same',
        wake: { kind: 'event', types: ['order.paid'] },
        condition: null,
        firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue' },
      });
      const rotate = `/automations/${body.id}/rotate-webhook-secret`;
      const hook = (await user.post<{ secret: string; path: string }>(rotate, { revision: body.revision })).body;
      const sent = (HOOK_SECRET: string) =>
        printedBy(automations, settings(user, user.baseUrl, { HOOK_SECRET, HOOK_PATH: hook.path }));
      expect((await sent(hook.secret))[0]).toMatch(/^202 .*"recorded"/);
      expect((await sent(hook.secret))[0]).toMatch(/^202 .*"duplicate"/);
      expect((await sent('A'.repeat(43)))[0]).toMatch(/^401 /);
    });
  },
  withinMs,
);
