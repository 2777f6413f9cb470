/** Receipts of a running deployment, with their proofs, verified by the public keys of the log and a witness (docs/decisions/approvals.md). */
import { verifyReceipt } from '@app/receipts';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import type { TestClient } from '@app/testing/client';
import {
  approve,
  asking,
  confirm,
  contractApprovalOf,
  conversationOf,
  coveredBy,
  invoke,
  newOwner,
  outcomeOf,
  pinPrice,
  prepare,
  prompt,
  recorded,
  trustedAutomation,
  untilEnded,
  untilOperation,
  usdc,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import {
  cosign,
  parseNote,
  parseVerifierKey,
  signatureLine,
  signingKey,
  type TrustPolicy,
  type VerifierKey,
} from '@app/transparency';
import fc from 'fast-check';
import type { Receipt } from '../src/receipt.schema';

const CHANGES = process.env['FIGURES'] === 'full' ? 10_000 : 500;

const witness = signingKey('witness', 'witness.example', new Uint8Array(32).fill(9));

let deployment: Deployment;
let user: TestClient;
let policy: TrustPolicy;
const receipts: Record<string, Receipt> = {};
beforeAll(async () => {
  const env = { LOG_LEVEL: 'silent', BUDGET_DAY_CENTS: '100000' };
  deployment = await startDeployment({ mode: 'in-process', env });
  await deployment.sandbox('PUT', 'faults', { provider: prompt, model: { delayMs: 0 } });
  await pinPrice(deployment, '2.5');
  user = await newOwner(deployment);
  for (const [name, approvalId] of Object.entries(await approvalsOfEachKind()))
    receipts[name] = witnessed(await provenReceipt(approvalId));
  policy = { log: await logKeys(), witnesses: [witness], needed: 1 };
});
afterAll(() => deployment.stop());

/** Ids of approvals: one of each kind, and one of a call that a contract covered. */
async function approvalsOfEachKind(): Promise<Record<string, string>> {
  const { runId, approval } = await asking(user, await conversationOf(user), 'withdraw 1.5 USDC');
  expect((await approve(user, approval)).status).toBe(200);
  await untilEnded(user, runId);
  await outcomeOf(user, approval.id);
  const withdrawal = await prepare(user, usdc, '1');
  expect((await confirm(user, withdrawal)).status).toBe(202);
  await untilOperation(user, withdrawal.operationId);
  const automation = await trustedAutomation(user);
  const contract = await contractApprovalOf(user, automation);
  const covered = await coveredBy(user, (await invoke(user, automation.id)).runId);
  await outcomeOf(user, covered.id);
  return { agent: approval.id, withdrawal: withdrawal.approvalId, contract: contract.id, covered: covered.id };
}

/** A receipt whose events are all in the log; on a busy machine, a checkpoint may take longer than the 2 s that a receipt waits. */
async function provenReceipt(approvalId: string): Promise<Receipt> {
  return until('a receipt with all proofs', async () => {
    const { status, body } = await user.get(`/approvals/${approvalId}/receipt`);
    expect(status).toBe(200);
    // Reason for the assertion: the API answers receipts of this shape.
    const receipt = body as unknown as Receipt;
    return receipt.proof?.complete === true ? receipt : null;
  });
}

/** Adds the line that a witness would have added to the checkpoint. */
function witnessed(receipt: Receipt): Receipt {
  const { proof } = receipt;
  const checkpoint = proof?.checkpoint ?? '';
  const text = parseNote(checkpoint)?.text ?? '';
  const line = signatureLine(cosign(witness, text, 1_790_000_000));
  return { ...receipt, proof: proof && { ...proof, checkpoint: checkpoint + line } };
}

/** The keys with which the log signed. */
async function logKeys(): Promise<VerifierKey[]> {
  // Reason for the assertion below: it is a text in every such event.
  const signed = await recorded(deployment, 'checkpoint.signed');
  return signed.map(({ payload }) => parseVerifierKey(payload['key'] as string)).filter((key) => key !== null);
}

const names = ['agent', 'withdrawal', 'contract', 'covered'];
// Reason for the assertion: `beforeAll` has made one of each.
const receiptOf = (name: string) => receipts[name]!;

describe.each(names)('the receipt of %s', (name) => {
  it('is proven, up to a checkpoint that log and witness signed', () => {
    const report = verifyReceipt(receiptOf(name), policy);
    expect(report.problems).toEqual([]);
    const authority = name === 'covered' ? ['authority'] : [];
    expect(report.proven.map(({ aspect }) => aspect)).toEqual([
      'bytes',
      'conclusions',
      'history',
      ...authority,
      'inclusion',
      'signature',
      'witnesses',
    ]);
    expect(report.checkpoint).toMatchObject({
      origin: policy.log[0]?.name,
      witnesses: [{ name: 'witness.example', at: '2026-09-21T14:13:20.000Z' }],
    });
  });

  it('is proven without keys as far as it goes, and lists what was not checked', () => {
    const report = verifyReceipt(receiptOf(name));
    expect(report.holds).toBe(true);
    expect(report.proven.map(({ aspect }) => aspect)).toContain('inclusion');
    expect(report.unchecked.map(({ aspect }) => aspect)).toEqual(['signature', 'witnesses']);
  });

  it('is of this log, of enough witnesses, and of these events', () => {
    const receipt = receiptOf(name);
    const messages = (document: unknown, by: TrustPolicy) =>
      verifyReceipt(document, by).problems.map(({ message }) => message);
    const another = signingKey('log', 'parley/another', new Uint8Array(32).fill(1));
    expect(messages(receipt, { ...policy, log: [another] })).toEqual(['is of another log than the given key']);
    const two = [witness, signingKey('witness', 'second.example', new Uint8Array(32).fill(2))];
    expect(messages(receipt, { ...policy, witnesses: two, needed: 2 })).toEqual(['was signed by 1 of 2 witnesses']);
    const [first, ...rest] = receipt.proof!.inclusions;
    const moved = { ...receipt, proof: { ...receipt.proof, inclusions: [...rest, first] } };
    const { stream, revision } = receipt.events[0]!;
    expect(verifyReceipt(moved, policy).problems[0]).toEqual({
      path: '/proof/inclusions/0',
      stream,
      revision,
      message: 'does not lead to the root of the checkpoint',
    });
  });
});

it('a covered call holds what its automation was allowed, and the use of it', () => {
  const { authority, approval, events } = receiptOf('covered');
  expect(authority).toMatchObject({
    approval: { id: receiptOf('contract').approval.id, kind: 'automation_contract', status: 'approved' },
    decision: { decidedBy: 'user', actor: { kind: 'user', id: user.userId } },
    use: { stream: `automation-${approval.automationId}`, usd: '10' },
  });
  expect(events.slice(0, 5).map(({ type }) => type)).toEqual([
    'approval.opened',
    'approval.decided',
    'contract.used',
    'approval.opened',
    'approval.decided',
  ]);
  expect(receiptOf('agent').authority).toBeNull();
});

it('what the checkpoint does not cover is a problem for those who demand the log, and named for others', () => {
  const receipt = receiptOf('agent');
  const nothing = { checkpoint: null, inclusions: receipt.events.map(() => null), complete: false };
  const unproven = { ...receipt, proof: nothing };
  expect(verifyReceipt(unproven, policy)).toMatchObject({ holds: false, problems: [{ path: '/proof/checkpoint' }] });
  expect(verifyReceipt(unproven)).toMatchObject({ holds: true, checkpoint: null, unproven: [{ aspect: 'inclusion' }] });
  const inclusions = receipt.proof!.inclusions.with(-1, null);
  const some = { ...receipt, proof: { ...receipt.proof, inclusions, complete: false } };
  const { stream, revision } = receipt.events.at(-1)!;
  const path = `/proof/inclusions/${inclusions.length - 1}`;
  expect(verifyReceipt(some, policy)).toMatchObject({ holds: false, problems: [{ path, stream, revision }] });
  expect(verifyReceipt(some)).toMatchObject({
    holds: true,
    unproven: [{ aspect: 'inclusion', text: expect.stringContaining(`event ${revision} of ${stream}`) as string }],
  });
});

it('every change of one bit is refused', () => {
  const unseen: string[] = [];
  const counts = { refused: 0, noJson: 0, equal: 0 };
  for (const [name, far, bit] of fc.sample(fc.tuple(fc.constantFrom(...names), fc.nat(), fc.nat(7)), CHANGES)) {
    const receipt = receiptOf(name);
    const bytes = Buffer.from(JSON.stringify(receipt));
    const place = far % bytes.length;
    // Reason for the assertion: there is a byte at that place.
    bytes[place]! ^= 1 << bit;
    const value = parsed(bytes);
    if (value === undefined) counts.noJson += 1;
    else if (JSON.stringify(value) === JSON.stringify(receipt)) counts.equal += 1;
    else if (verifyReceipt(value, policy).holds) unseen.push(`bit ${bit} of byte ${place} of ${name}`);
    else counts.refused += 1;
  }
  process.stdout.write(
    `receipts with one bit changed: ${CHANGES} (10000 with FIGURES=full), ${counts.noJson} no JSON any more, ${counts.refused} refused, ${counts.equal} of the same value, ${unseen.length} accepted\n`,
  );
  expect(unseen).toEqual([]);
});

/** The document that a reader parses from the bytes; undefined for bytes that are no JSON in UTF-8. */
function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}
