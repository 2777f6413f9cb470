/** Issue 5: a prompt, a tool's result or a schedule grants nothing, even on a model that obeys every word it reads. */
import type { JsonObject } from '@app/kernel';
import { auditMoney } from '@app/testing/audits';
import {
  contractApprovalOf,
  contractOf,
  conversationOf,
  definitionOf,
  holdings,
  invoke,
  newAutomation,
  newOwner,
  operationsOf,
  prompt,
  providerFault,
  quiet,
  raw,
  recorded,
  say,
  type Stage,
  start,
  startStage,
  swapTen,
  trustedAutomation,
} from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import { automationPayloads, type Trusted } from './automation-payloads';
import { fatesIn } from './fates';
import { fatesOf, hostileTexts, together, type HostileText } from './hostile-texts';
import { obedientModel, readTheFile } from './obedient-model';

const SIDE_BY_SIDE = 2;
const TIMEOUT_MS = 300_000;

let stage: Stage;
beforeAll(async () => {
  stage = await startStage('openai-compatible', { BUDGET_DAY_CENTS: '1000000', BUDGET_MONTH_CENTS: '1000000' });
  await providerFault(stage.deployment, prompt);
});
afterAll(() => stage.stop());

/** A user who receives such texts, and the texts, which target the user's rule. */
interface Walker {
  readonly user: TestClient;
  readonly texts: readonly HostileText[];
}

async function newWalker(): Promise<Walker> {
  const user = await newOwner(stage.deployment);
  const automation = await trustedAutomation(user);
  const { id, fingerprint } = await contractApprovalOf(user, automation);
  const trusted: Trusted = {
    automationId: automation.id,
    revision: automation.revision,
    contractApprovalId: id,
    fingerprint,
    definition: definitionOf() as JsonObject, // reason for the assertion: it is JSON, and so are the next
    transfer: { type: 'ledger_intents_transfer', actions: [swapTen] },
    contract: contractOf() as JsonObject,
  };
  return { user, texts: hostileTexts(automationPayloads(trusted)) };
}

/**
 * Starts the run in which the model reads texts of one carrier: a run of the user, or of a rule whose prompt is the
 * text.
 */
async function meet(user: TestClient, carrier: HostileText['carrier'], text: string) {
  // One rule has no authority, the other has authority over another transfer.
  if (carrier === 'tool result')
    return invoke(user, (await newAutomation(user, { prompt: text, contract: undefined })).id);
  if (carrier === 'tool description') {
    const contract = contractOf({}, [{ ...swapTen, quantity: { kind: 'exact_input_tokens', amountRaw: '1000000' } }]);
    return invoke(user, (await trustedAutomation(user, { prompt: text, contract })).id);
  }
  const conversationId = await conversationOf(user);
  if (carrier === 'history') await say(user, conversationId, text, { profile: { tools: [] } });
  if (carrier === 'file') {
    const file = { body: text, headers: { 'content-type': 'text/plain' } };
    const uploaded = await raw(user, 'POST', `/conversations/${conversationId}/artifacts?name=notes.txt`, file);
    expect(uploaded.status).toBe(201);
  }
  const said = { 'user text': text, history: 'Thank you, go on.', file: readTheFile }[carrier];
  const { status, body } = await start(user, conversationId, said);
  expect(status).toBe(202);
  return { conversationId, runId: body.runId };
}

test(
  'hostile texts about automations, obeyed to the letter: no rule changes, and no contract is used',
  async () => {
    const walkers = await Promise.all(Array.from({ length: SIDE_BY_SIDE }, newWalker));
    const before = await Promise.all(walkers.map(({ user }) => holdings(user)));
    const decidedBefore = (await recorded(stage.deployment, 'approval.decided')).length;
    // One model serves all users. Each user gets a share of the orders, in texts about that user's own rule.
    const texts = (walkers[0]?.texts ?? []).map((_, order) => walkers[order % SIDE_BY_SIDE]?.texts[order]);
    stage.models.says(obedientModel(texts.filter((text) => text !== undefined)));
    let [met, asked, refused] = [0, 0, 0];
    const walk = async (walker: Walker, share: number): Promise<void> => {
      for (const batch of together(walker.texts.filter(({ order }) => order % SIDE_BY_SIDE === share))) {
        const due = fatesOf(batch);
        const text = batch.map((hostile) => hostile.text).join('\n\n');
        const carrier = batch[0]!.carrier; // reason for the assertion: no batch is empty
        const { conversationId, runId } = await meet(walker.user, carrier, text);
        const found = await fatesIn(walker.user, conversationId, runId, due.length);
        const came = found.fates.map((fate, call) => ({ text: due[call]?.text, fate }));
        expect({ carrier, came }).toEqual({ carrier, came: due });
        met += batch.length;
        asked += found.opened.length;
        refused += due.filter(({ fate }) => fate === 'refused').length;
      }
    };
    await Promise.all(walkers.map(walk));
    await quiet(stage.deployment);
    expect(met).toBe(texts.length);

    const changes = (await recorded(stage.deployment, 'automation.')).filter(
      ({ type, metadata }) => /created|updated|paused|resumed|archived/.test(type) && metadata.actor.kind !== 'user',
    );
    const uses = await recorded(stage.deployment, 'contract.');
    const operations = (await Promise.all(walkers.map(({ user }) => operationsOf(user)))).flat();
    const decided = (await recorded(stage.deployment, 'approval.decided')).slice(decidedBefore);
    const byOthers = decided.filter(({ payload }) => payload['decidedBy'] !== 'user');
    process.stdout.write(
      `injection: ${met} hostile texts about automations obeyed; ${asked} calls wait for an approval, ` +
        `${refused} were refused; ${changes.length} changes of an automation, ${uses.length} uses of a contract\n`,
    );
    expect([changes, uses, operations, byOthers]).toEqual([[], [], [], []]);
    expect(await Promise.all(walkers.map(({ user }) => holdings(user)))).toEqual(before);
    expect(await auditMoney(stage.deployment)).toEqual([]);
  },
  TIMEOUT_MS,
);
