import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, holdings, usdc } from '@app/testing/journeys';
import { clientOf } from '../client/clients';
import { PackedProject } from '../client/packed';
import { PartnerServer } from './partner';

const root = join(__dirname, '..', '..');
const withinMs = 300_000;
jest.setTimeout(withinMs);

/** A page without a browser: the AI SDK's own chat, as `useChat` runs it. */
const page = `
import { isDeepStrictEqual } from 'node:util';
import { AbstractChat, readUIMessageStream, type ChatInit, type ChatState, type UIMessageChunk } from 'ai';
import { handleChat, ParleyChatTransport, toUIMessageStream, type ParleyUIMessage } from '@parley/client/ai-sdk';

class PageChat extends AbstractChat<ParleyUIMessage> {
  constructor({ messages = [], ...init }: ChatInit<ParleyUIMessage>) {
    const state: ChatState<ParleyUIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) =>
        void (state.messages = state.messages.map((one, at) => (at === index ? structuredClone(message) : one))),
      snapshot: (thing) => structuredClone(thing),
    };
    super({ ...init, state });
  }
}

const [api = '', id = ''] = process.argv.slice(2);
const transport = new ParleyChatTransport({ api });
const { messages } = await transport.load(id);
const { sendAutomaticallyWhen } = transport;
const chat = new PageChat({ id, messages, transport, sendAutomaticallyWhen });
await chat.sendMessage({ text: 'withdraw 1.5 USDC' });
const question = chat.messages
  .flatMap(({ parts }) => parts)
  .flatMap((part) => (part.type === 'dynamic-tool' && part.state === 'approval-requested' ? [part.approval] : []))[0];
if (question === undefined) throw new Error('nothing is asked');
await chat.addToolApprovalResponse({ id: question.id, approved: true });
while (chat.status !== 'ready' || !JSON.stringify(chat.messages).includes('"status":"settled"')) {
  if (chat.error !== undefined) throw chat.error;
  await new Promise((resolve) => setTimeout(resolve, 20));
}

// The SDK reads the stream, and the same is recorded.
const recorded = (await transport.load(id)).messages[1];
const again = await transport.sendMessages({ trigger: 'regenerate-message', chatId: id, messageId: undefined, messages: chat.messages, abortSignal: undefined });
let read: ParleyUIMessage | undefined;
for await (const message of readUIMessageStream<ParleyUIMessage>({ stream: again })) read = message;
const plain = (message: unknown): unknown => JSON.parse(JSON.stringify(message, (key, value) => (key === 'approved' ? undefined : value)));
// The progress of a tool is given to the page, and is no part of a message.
const shown = new ReadableStream<UIMessageChunk>({
  start(controller) {
    controller.enqueue({ type: 'start', messageId: 'm' });
    controller.enqueue({ type: 'data-progress', id: 'c', data: { progress: 1 }, transient: true });
    controller.enqueue({ type: 'finish' });
    controller.close();
  },
});
let kept = 0;
for await (const { parts } of readUIMessageStream<ParleyUIMessage>({ stream: shown })) kept += parts.length;
console.log(JSON.stringify({ kept, parts: chat.messages[1]?.parts.map(({ type }) => type), same: isDeepStrictEqual(plain(read), plain(recorded)) }));

// For the types alone: a partner's server.
export type Server = [typeof handleChat, (options: Parameters<typeof toUIMessageStream>[0]) => Promise<ReadableStream<UIMessageChunk>>];
`;

let deployment: Deployment;
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'test-packages.mjs'), 'ai-sdk-7']);
  deployment = await startDeployment({ mode: 'in-process' });
}, withinMs);
afterAll(() => deployment.stop());

const peers = (
  JSON.parse(readFileSync(join(root, 'libs', 'clients', 'client', 'package.json'), 'utf8')) as {
    readonly peerDependencies: Readonly<Record<string, string>>;
  }
).peerDependencies;

describe.each([
  ['6', '.'],
  ['7', 'test/ai-sdk-7'],
])('the AI SDK %s', (major, folder) => {
  it('is named as a peer in the version that is tested here', () => {
    const installed = JSON.parse(readFileSync(join(root, folder, 'node_modules', 'ai', 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(installed.version.split('.')[0]).toBe(major);
    expect(peers['ai']?.split(' || ')).toContain(`^${installed.version}`);
  });

  it('type-checks and runs the whole way of a withdrawal with the package from its tarball', async () => {
    const project = await PackedProject.create();
    const user = await deployment.newUser();
    await user.post('/wallet');
    const conversationId = await conversationOf(user);
    const server = await PartnerServer.start(clientOf(user));
    try {
      await project.link('ai', folder);
      await project.write('page.mts', page);
      await project.compile(['page.mts'], 'node16');
      const printed = JSON.parse(await project.node('page.mjs', {}, [server.api, conversationId])) as object;
      expect(printed).toEqual({
        parts: expect.arrayContaining(['step-start', 'dynamic-tool', 'text', 'data-settlement']),
        same: true,
        kept: 0,
      });
      expect((await holdings(user))[usdc]).toBe('248500000');
    } finally {
      await server.stop();
      await project.remove();
    }
  });
});
