/** Words of an approval are sealed in rows, and erased in answers once their key is destroyed. */
import { Database } from '@app/read-store';
import { verifyReceipt } from '@app/receipts';
import { conversationKeyId, KeyRing } from '@app/sealing';
import { anInstant, type Listed } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { ApprovalsApp, type Waiting } from '@app/testing/slices';
import { decided, pathOf, pendingView } from './decisions';

let app: ApprovalsApp;
let user: TestClient;
beforeAll(async () => {
  app = await ApprovalsApp.start(1);
  user = await app.newUser();
});
afterAll(() => app.stop());

const reason = 'Zu teuer, \u{1F600}';
const gone = { erased: true };

/** An approval that was denied with a reason. */
async function denied(): Promise<Waiting> {
  const waiting = await app.run(user, { approvals: 1 });
  expect(await user.post(`${pathOf(waiting)}/deny`, { reason })).toMatchObject(decided);
  await app.end(waiting);
  return waiting;
}

/** The row of an approval, as one text. */
async function rowOf({ approvals }: Waiting): Promise<string> {
  const rows = await app
    .get(Database)
    .query<{ text: string }>('SELECT row_to_json(a)::text AS text FROM approvals a WHERE id = $1', [
      approvals[0]!.approvalId,
    ]);
  return rows[0]!.text;
}

async function erase({ conversationId }: Waiting): Promise<void> {
  const key = conversationKeyId(conversationId);
  await app
    .get(Database)
    .query('UPDATE sealing_keys SET wrapped = NULL, destroyed_at = now() WHERE key_id = $1', [key]);
  app.get(KeyRing).forget([key]);
}

it('the row has no words, and answers open them', async () => {
  const waiting = await denied();
  const row = await rowOf(waiting);
  for (const word of ['Zu teuer', 'Withdraw everything', 'Grüße'])
    expect([word, row.includes(word)]).toEqual([word, false]);
  const { body } = await user.get(pathOf(waiting));
  const shown = { status: 'denied', decidedBy: 'user', decidedAt: anInstant, denialReason: reason };
  expect(body).toEqual({ ...pendingView(waiting), ...shown });
  expect((await user.get<Listed>('/approvals?status=denied')).body.data[0]).toEqual(body);
});

it('words whose key was destroyed are erased in every answer, and nothing else is', async () => {
  const [kept, waiting] = [await denied(), await denied()];
  const before = (await user.get(pathOf(waiting))).body;
  await erase(waiting);
  const closed = { ...before, input: gone, summary: gone, terms: gone, denialReason: gone };
  expect((await user.get(pathOf(waiting))).body).toEqual(closed);
  const { data } = (await user.get<Listed>('/approvals?status=denied')).body;
  expect(data.slice(0, 2)).toEqual([closed, (await user.get(pathOf(kept))).body]);
});

it('a receipt reveals the words of its own events, and none of them once they are erased; a receipt of before still holds', async () => {
  const waiting = await denied();
  const receiptNow = async () => (await user.get(`${pathOf(waiting)}/receipt`)).body;
  const before = await receiptNow();
  expect(verifyReceipt(before)).toMatchObject({ holds: true, erased: [] });
  expect(before['approval']).toMatchObject({ input: waiting.approvals[0]!.input, denialReason: reason });
  await erase(waiting);
  const after = await receiptNow();
  expect(after['approval']).toMatchObject({ input: gone, summary: gone, terms: gone, denialReason: gone });
  expect(after['review']).toEqual({ canonical: gone, fingerprint: waiting.approvals[0]!.fingerprint });
  expect(JSON.stringify(after)).not.toMatch(/Zu teuer|Withdraw everything|Gr\u00fc\u00dfe/);
  const members = [['input', 'summary', 'terms'], ['denialReason']];
  const erased = members.map((names) => expect.objectContaining({ members: names }) as object);
  expect(verifyReceipt(after)).toMatchObject({ holds: false, erased });
  expect(verifyReceipt(after, null, { acceptErased: true })).toMatchObject({ holds: true, problems: [], erased });
  expect(verifyReceipt(before)).toMatchObject({ holds: true, erased: [] });
});
