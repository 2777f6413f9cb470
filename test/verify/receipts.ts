import type { Deployment } from '@app/testing/deployment';
import { confirm, newOwner, prepare, untilOperation, usdc } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { cosign, parseNote, signatureLine, signingKey, verifierKeyText } from '@app/transparency';

/** The parts of a receipt that are checked here. */
export interface ProvenReceipt extends Record<string, unknown> {
  readonly events: readonly { readonly stream: string; readonly revision: number; readonly id: string }[];
  readonly proof: { readonly checkpoint: string; readonly inclusions: readonly unknown[] };
}

export interface Proven {
  readonly receipt: ProvenReceipt;
  readonly logKey: string;
  readonly witnessKey: string;
}

const witness = signingKey('witness', 'witness.example', new Uint8Array(32).fill(9));

/** The receipt of a settled withdrawal, with a witness's signature below its checkpoint, and the keys to verify it. */
export async function provenWithdrawal(deployment: Deployment): Promise<Proven> {
  const user = await newOwner(deployment);
  const withdrawal = await prepare(user, usdc, '1');
  expect((await confirm(user, withdrawal)).status).toBe(202);
  await untilOperation(user, withdrawal.operationId);
  const receipt = await until('a receipt with all proofs', async () => {
    const { body } = await user.get(`/approvals/${withdrawal.approvalId}/receipt`);
    // Reason for the assertion: the API's answer, once it is proven.
    const { complete } = body['proof'] as { complete: boolean };
    return complete ? (body as unknown as ProvenReceipt) : null; // reason: see above
  });
  const { checkpoint } = receipt.proof;
  const line = signatureLine(cosign(witness, parseNote(checkpoint)?.text ?? '', 1_790_000_000));
  const keys = await fetch(`${deployment.baseUrls[0]}/transparency/key`).then((response) => response.text());
  return {
    receipt: { ...receipt, proof: { ...receipt.proof, checkpoint: checkpoint + line } },
    logKey: keys.trim(),
    witnessKey: verifierKeyText(witness),
  };
}
