import type { JsonValue } from '@app/kernel';
import { approve, pendingOf, untilEnded, type Approval } from '@app/testing/journeys';
import { saying } from '@app/testing/mcp';
import type { ScriptedCall, Script } from '@app/testing/models';
import type { WordsStage } from './stage';
import type { Writer } from './writer';

/** Runs in one conversation, in which a model and tools say words, and fail with words. */
export class WrittenRuns {
  constructor(
    private readonly stage: Pick<WordsStage, 'models' | 'tools'>,
    private readonly writer: Writer,
    private readonly conversationId: string,
  ) {}

  /** Starts a run whose model answers by this script; returns its id. */
  async start(script: Script, profile: JsonValue = {}): Promise<string> {
    this.stage.models.says(script);
    const template = { conversationId: this.conversationId, input: { text: 'please: § and §' }, profile };
    return String((await this.writer.send('runs.start', 'POST', '/agent-runs', template))['runId']);
  }

  /** The same, until it has ended. */
  async run(script: Script, profile: JsonValue = {}): Promise<Record<string, unknown>> {
    return untilEnded(this.writer.user, await this.start(script, profile));
  }

  /** A model that thinks, speaks, and answers in the form that the profile asks for. */
  async talks(): Promise<void> {
    const { word } = this;
    await this.run([{ reasoning: [word('reasoning')], text: ['I say ', word('text')] }], { instructions: 'say §' });
    const outputSchema = {
      type: 'object',
      description: 'about §',
      properties: { '§p': { type: 'string', description: 'a §' }, '§o': { enum: ['§', 'x'] }, '§t': { const: '§c' } },
      required: ['§p'],
    };
    await this.run(({ body }) => ({ text: [JSON.stringify(sampleOf(JSON.stringify(body), word('output')))] }), {
      outputSchema,
    });
    await this.run([{ text: ['cut ', word('text that was cut')], ending: 'cut' }, { text: [word('text afterwards')] }]);
  }

  /** Words that wait while the agent works: some are answered afterwards, and some are withdrawn. */
  async queues(): Promise<void> {
    const { word, writer, stage, conversationId } = this;
    stage.models.says([
      { text: [word('text while others wait')], queuedMs: 1_000 },
      { text: [word('text after more was said')] },
      { text: [word('text of one that waited')] },
    ]);
    const template = { conversationId, input: { text: 'please: §' } };
    await writer.send('runs.start', 'POST', '/agent-runs', template);
    const queue = { ...template, whenBusy: 'queue' };
    const waiting = await writer.send('runs.start', 'POST', '/agent-runs', queue);
    const withdrawn = await writer.send('runs.start', 'POST', '/agent-runs', queue);
    await writer.send('runs.start', 'POST', '/agent-runs', { ...template, whenBusy: 'steer' });
    expect([waiting['status'], withdrawn['status']]).toEqual(['waiting', 'waiting']);
    expect((await writer.user.post(`/agent-runs/${String(withdrawn['runId'])}/abort`)).body).toEqual({ aborted: true });
    await untilEnded(writer.user, String(waiting['runId']));
  }

  /** A model that fails, in every way that a provider has of saying so. */
  async fails(): Promise<void> {
    const { word } = this;
    const headers = { 'x-request-id': word('header of a refusal') };
    for (const status of [400, 401, 404, 413, 429, 500, 503])
      await this.run([{ status, message: `cannot: ${word(`refusal ${status}`)}`, headers }]);
    await this.run([{ status: 400, body: { unknown: { form: word('refusal of another form') } } }]);
    await this.run([{ text: [word('text before a trouble')], ending: 'trouble', troubleWords: word('trouble') }]);
    await this.run([{ text: [word('text before a reset')], ending: 'reset' }]);
    await this.run([{ text: [word('text without a usage')], usage: null, ending: 'length' }]);
  }

  /** Calls of tools: of ours with wrong inputs, of none that there is, and of servers that answer, refuse and break. */
  async callsTools(): Promise<void> {
    const { word } = this;
    const { tools } = this.stage;
    await this.calls([
      { tool: 'current_time', input: { timezone: word('input of a tool of ours') } },
      { tool: 'token_price', input: { [word('name of a member')]: word('value of a member') } },
      { tool: 'intents_transfer', input: { contract: word('a contract that is none') } },
      { tool: 'automation_create', input: { name: word('name of a rule'), prompt: word('prompt of a rule') } },
      { tool: word('name of a tool'), input: {} },
      { tool: 'current_time', raw: `{"timezone": "${word('input that is no JSON')}` },
      { tool: 'artifact_read', input: { artifactId: word('id of a file'), name: word('name of a file') } },
    ]);
    tools.answer = () => ({ ...saying(word('result')), structuredContent: { found: word('structured result') } });
    await this.calls([{ tool: 'docs_look', input: { about: word('input of a tool') } }]);
    tools.answer = () => ({ ...saying(word('reported error')), isError: true });
    await this.calls([{ tool: 'docs_look', input: { about: word('input of a tool that fails') } }]);
    tools.answer = () => {
      throw new Error(`cannot find ${word('error of the protocol')}`);
    };
    await this.calls([{ tool: 'docs_break', input: { about: word('input of a tool that throws') } }]);
    tools.answer = () => ({
      content: [{ type: 'resource', resource: { uri: `file:///${word('uri')}`, text: word('resource') } }],
    });
    await this.calls([{ tool: 'docs_look', input: {} }]);
    tools.answer = async ({ report }) => {
      await report({ progress: 1, total: 2, message: word('progress') });
      await report({ progress: 2, total: word('total that is no number'), message: word('progress that is none') });
      await report({ progress: 2, progressToken: 'none', message: word('progress of no call') });
      return saying('done');
    };
    await this.calls([{ tool: 'docs_look', input: {} }]);
    tools.answer = () => saying('done');
    for (const status of [400, 404, 500, 503]) await this.breaks(status);
    await this.calls([{ tool: 'local_echo', input: { words: word('input of a program') } }]);
    await this.calls([{ tool: 'local_complain', input: { words: word('input that a program complains about') } }]);
  }

  /** Calls that a user is asked about: one approved, and one denied with a reason. */
  async asks(): Promise<Approval> {
    const { writer, stage, word } = this;
    const pay = () => [
      { calls: [{ tool: 'docs_pay', input: { to: word('input that is approved') } }] },
      { text: ['ok'] },
    ];
    const asked = await this.start(pay());
    const approved = await pendingOf(writer.user, asked);
    await approve(writer.user, approved);
    await untilEnded(writer.user, asked);
    stage.tools.answer = () => saying('done');
    const refused = await this.start(pay());
    const { id } = await pendingOf(writer.user, refused);
    await writer.send('approvals.deny', 'POST', `/approvals/${id}/deny`, { reason: 'because §' });
    await untilEnded(writer.user, refused);
    return approved;
  }

  private readonly word = (place: string): string => this.writer.words.word(place);

  private async calls(calls: readonly ScriptedCall[]): Promise<void> {
    await this.run([{ calls }, { text: [this.word('text after a call')] }]);
  }

  /** A server that answers a call with an error of HTTP. */
  private async breaks(status: number): Promise<void> {
    const { tools } = this.stage;
    tools.misbehave = (_, response, body) => {
      if (!body.includes('tools/call')) return false;
      response
        .writeHead(status, { 'content-type': 'text/plain' })
        .end(`no: ${this.word(`body of a ${status}`)} ${body}`);
      return true;
    };
    await this.calls([{ tool: 'docs_look', input: { about: this.word(`input answered with ${status}`) } }]);
    tools.misbehave = () => false;
  }
}

/** An object with the names that a schema in the request requires. */
function sampleOf(request: string, word: string): object {
  const [, list = ''] = /"required":\s*\[([^\]]*)\]/.exec(request.replaceAll('\\"', '"')) ?? [];
  return Object.fromEntries([...list.matchAll(/"([^"]+)"/g)].map(([, name = '']) => [name, word]));
}
