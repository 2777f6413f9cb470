/** The progress of tools as unmodified chats of the AI SDK and of AG-UI have it, in front of a partner's server. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ParleyChatTransport, readHistory } from '@parley/client/ai-sdk';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { LoopbackMcp, saying } from '@app/testing/mcp';
import { PageChat } from '../ai-sdk/page-chat';
import { PartnerServer } from '../ai-sdk/partner';
import { startAgUiPartner } from './ag-ui-partner';
import { AgUiUser } from './ag-ui-user';
import { clientOf } from './clients';

const words = 'Invoice 2 of 3';

let mcp: LoopbackMcp;
let deployment: Deployment;
let user: TestClient;
beforeAll(async () => {
  mcp = await LoopbackMcp.start();
  mcp.tools = [{ name: 'work' }];
  mcp.answer = async ({ report }) => {
    await report({ progress: 1, total: 3 });
    await sleep(500);
    await report({ progress: 2, total: 3, message: words });
    await sleep(500);
    return saying('done');
  };
  const servers = [{ name: 'web', transport: { type: 'http', url: mcp.url }, consent: 'auto' }];
  deployment = await startDeployment({ mode: 'in-process', env: { MCP_SERVERS: JSON.stringify(servers) } });
  user = await deployment.newUser();
});
afterAll(async () => {
  await deployment.stop();
  await mcp.stop();
});

it('is given to useChat while the call goes on, and no message holds it', async () => {
  const conversationId = await conversationOf(user);
  const server = await PartnerServer.start(clientOf(user));
  const given: unknown[] = [];
  const chat: PageChat = new PageChat({
    id: conversationId,
    transport: new ParleyChatTransport({ api: server.api }),
    onData: ({ type, data }) => {
      const states = chat.messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.state] : [])),
      );
      given.push([type, data, states]);
    },
  });
  await chat.sendMessage({ text: 'call web_work {}' });
  await server.stop();
  expect(chat.error).toBeUndefined();
  const answer = chat.messages[1];
  const call = answer?.parts.find((part) => part.type === 'dynamic-tool');
  expect(call).toMatchObject({ state: 'output-available', output: { text: 'done' } });
  const toolCallId = String(Object(call).toolCallId);
  expect(given).toEqual([
    ['data-progress', { toolCallId, progress: 1, total: 3, message: null }, ['input-available']],
    ['data-progress', { toolCallId, progress: 2, total: 3, message: words }, ['input-available']],
  ]);
  const recorded = await readHistory({ parley: clientOf(user), conversationId });
  expect(answer?.parts.map(({ type }) => type)).toEqual(recorded.messages[1]?.parts.map(({ type }) => type));
  expect(JSON.stringify([chat.messages, recorded])).not.toContain(words);
});

it('is a custom event of AG-UI, and no message holds it', async () => {
  const partner = await startAgUiPartner(clientOf(user));
  const page = new AgUiUser(partner.origin, await conversationOf(user));
  const given: unknown[] = [];
  page.agent.subscribe({ onCustomEvent: ({ event }) => void given.push([event.name, event.value]) });
  await page.say('call web_work {}');
  await partner.stop();
  expect(given).toMatchObject([
    ['parley.agent.tool_progress', { progress: 1, total: 3, message: null }],
    ['parley.agent.tool_progress', { progress: 2, total: 3, message: words }],
  ]);
  expect(JSON.stringify(page.agent.messages)).toContain('done');
  expect(JSON.stringify([page.agent.messages, page.agent.state])).not.toContain(words);
});
