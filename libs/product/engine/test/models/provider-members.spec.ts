/** Each member of the wire formats is read, skipped or refused as docs/providers.md says (docs/decisions/runs.md, "Models as they are"). */
import { Logger } from '@nestjs/common';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { modelRequest } from '@app/testing/runs';
import { ModelFailed } from '../../src/models/model';
import { modelsWith } from './provider-models';
import { chatMembers, messageMembers, type MemberRow } from './provider-members';

const page = join(__dirname, '../../../../../docs/providers.md');
const formats = { 'openai-compatible': chatMembers, anthropic: messageMembers } as const;
const asking = { ...modelRequest('How are you?', [], ['clock']), reasoning: true };

describe.each(['openai-compatible', 'anthropic'] as const)('of the format %s', (provider) => {
  let server: Server;
  let events: MemberRow['events'] = [];
  let staysOpen = false;
  let warn: jest.SpyInstance;
  beforeAll(async () => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    server = createServer((request, response) => {
      request.resume().once('end', () => {
        response.writeHead(200, { 'content-type': 'whole' in events ? 'application/json' : 'text/event-stream' });
        const body = 'whole' in events ? JSON.stringify(events.whole) : streamOf(events);
        if (staysOpen) response.write(`${body}\n`);
        else response.end(body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    warn.mockRestore();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = () => {
    const { port } = server.address() as AddressInfo; // reason for the assertion: it listens on TCP
    const prices = { m: { inputUsdPerMillion: '3', outputUsdPerMillion: '15' } };
    const connection = {
      MODEL_PROVIDER: provider,
      MODEL_BASE_URL: `http://127.0.0.1:${port}/v1`,
      MODEL_API_KEY: 'key',
    };
    const models = modelsWith({
      ...connection,
      MODEL_NAME: 'm',
      MODEL_PRICES: JSON.stringify(prices),
      MODEL_RETRIES: '0',
    });
    return models.find('m').step(asking, () => undefined, new AbortController().signal);
  };

  const usual = { text: 'Hello', reasoning: null, calls: [], ending: 'whole', estimated: false };

  it.each(formats[provider])('$member is $how', async ({ events: sent, says = {} }) => {
    events = sent;
    if (says.thrown !== undefined) return expect(ask()).rejects.toMatchObject({ trouble: says.thrown });
    const reply = await ask();
    const { text, reasoning, calls, trouble, ending, estimated } = { ...usual, ...says };
    const { inputTokens, cachedInputTokens, outputTokens } = reply;
    const failed = reply.ending instanceof ModelFailed ? reply.ending.trouble : reply.ending;
    expect([reply.text, reply.reasoning?.text ?? null, reply.calls, failed, reply.estimated]).toEqual([
      text,
      reasoning,
      calls,
      trouble ?? ending,
      estimated,
    ]);
    const { inputTokens: input = 5, cachedInputTokens: cached = 0, outputTokens: output = 2 } = says;
    if (!estimated) expect([inputTokens, cachedInputTokens, outputTokens]).toEqual([input, cached, output]);
    else expect(outputTokens).toBeGreaterThanOrEqual(output);
    expectNamed(warn, says);
  });

  it('an answer is over with its last frame, even where its connection stays open', async () => {
    events = formats[provider][0]?.events ?? [];
    staysOpen = true;
    expect(await ask()).toMatchObject({ text: 'Hello', ending: 'whole', estimated: false });
  });
});

it('the page lists the same members', () => {
  const tables = ['## OpenAI-compatible\n\n' + tableOf(chatMembers), '## Anthropic\n\n' + tableOf(messageMembers)].join(
    '\n\n',
  );
  const present = readFileSync(page, 'utf8');
  const [introduction = ''] = present.split('## OpenAI-compatible');
  const expected = `${introduction}${tables}\n\n<!-- prettier-ignore-end -->\n`;
  // `WRITE_DOCS=1 npx jest provider-members` regenerates the page.
  if (process.env['WRITE_DOCS'] === '1') writeFileSync(page, expected);
  expect(readFileSync(page, 'utf8')).toBe(expected);
});

/** Each answer is asked of a separate model, because a model logs each skipped kind once. */
function expectNamed(warn: jest.SpyInstance, { skipped }: NonNullable<MemberRow['says']>): void {
  if (skipped !== undefined) expect(warn).toHaveBeenCalledWith(expect.stringContaining(skipped));
}

function streamOf(events: readonly (object | string | null)[]): string {
  const data = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}`);
  return `${data.join('\n\n')}\n`;
}

function tableOf(rows: readonly MemberRow[]): string {
  const lines = rows.map(({ member, how, words }) => `| ${member} | ${how} | ${words} |`);
  return ['| Member | | |', '| --- | --- | --- |', ...lines].join('\n');
}
