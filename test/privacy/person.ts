import { approve, conversationOf, outcomeOf, pendingOf, prepare, start, untilEnded, usdc } from '@app/testing/journeys';
import type { MarkedWords } from '@app/testing/words';
import { until } from '@app/testing/until';
import type { WordsStage } from './stage';
import { Writer } from './writer';
import { writeAutomations } from './written-automations';
import { WrittenRuns } from './written-runs';

/** A person who has written words through every input, and what there is of them. */
export interface WritingPerson {
  readonly writer: Writer;
  readonly subject: string;
  /** Ids of things of theirs, by the names that they have in paths. */
  readonly ids: Readonly<Record<string, string>>;
  /** The bytes of a file of theirs. */
  readonly file: string;
  /** A receipt with revealed words, and one about money. */
  readonly receipts: readonly string[];
}

/** Creates a person who writes through every input that the contract has, and through what the doubles answer. */
export async function writePerson(stage: WordsStage, words: MarkedWords): Promise<WritingPerson> {
  const subject = words.word('subject of the token');
  const user = await stage.deployment.newUser(subject);
  const writer = new Writer(user, words);
  expect((await user.post('/wallet')).status).toBe(200);
  const talk = String((await writer.send('conversations.create', 'POST', '/conversations', { title: 'talk §' }))['id']);
  await writer.send('conversations.update', 'PATCH', `/conversations/${talk}`, { title: '§ and §' });
  const file = `notes: ${words.word('artifacts.upload body')}, ${'and so on, '.repeat(1_000)}`;
  const artifactId = await writer.upload(talk, file);
  const runs = new WrittenRuns(stage, writer, talk);
  await runs.talks();
  await rates(writer, talk);
  await runs.queues();
  await runs.callsTools();
  const asked = await runs.asks();
  await runs.fails();
  const automationId = await writeAutomations(writer);
  const money = await conversationOf(user, words.word('title of a conversation about money'));
  const paid = await movesMoney(writer, money);
  const receipts = [await receiptOf(writer, asked.id), await receiptOf(writer, paid)];
  const ids = { conversationId: talk, artifactId, automationId, approvalId: asked.id, runId: String(asked['runId']) };
  return { writer, subject, ids, file, receipts };
}

/** A rating with words about what the agent said. */
async function rates(writer: Writer, conversationId: string): Promise<void> {
  const at = `/conversations/${conversationId}/messages`;
  const { body } = await writer.user.get<{ data: { id: string; role: string }[] }>(at);
  const said = body.data.find(({ role }) => role === 'assistant');
  await writer.send('messages.rate', 'POST', `${at}/${said?.id}/feedback`, { rating: 'down', text: 'not §' });
}

/** A withdrawal that is settled, and one that is prepared. Returns the approval of the first. */
async function movesMoney({ user }: Writer, conversationId: string): Promise<string> {
  const profile = { model: 'parley/rules' };
  const { body } = await start(user, conversationId, 'withdraw 0.5 USDC', { profile });
  const approval = await pendingOf(user, body.runId);
  expect((await approve(user, approval)).status).toBe(200);
  await untilEnded(user, body.runId);
  await outcomeOf(user, approval.id);
  await prepare(user, usdc, '1000');
  return approval.id;
}

async function receiptOf({ user }: Writer, approvalId: string): Promise<string> {
  return until('a complete receipt', async () => {
    const { body } = await user.get<{ proof: { complete: boolean } | null }>(`/approvals/${approvalId}/receipt`);
    return body.proof?.complete === true ? JSON.stringify(body) : null;
  });
}
