import { isReason } from '@parley/client';

await parley.wallets.ensure();
const { id: conversationId } = await parley.conversations.create();
const run = await parley.runs.start({ conversationId, input: { text: 'withdraw 1.5 USDC' } });
for await (const { payload } of parley.conversations.stream({ conversationId, after: run.seq })) {
  if (payload.type === 'approval.opened') break;
}

const [pending] = (await parley.approvals.list({ status: 'pending' })).data;
if (pending === undefined) throw new Error('nothing is asked');
console.log(pending.summary); // Withdraw 1.5 USDC to your main account, once.

// The fingerprint of what the user saw, and no other.
const { id: approvalId, fingerprint } = pending;
await parley.approvals.approve({ approvalId, fingerprint });
await parley.approvals.deny({ approvalId }).catch((error) => {
  if (isReason(error, 'approval_not_pending'))
    console.log('already decided'); // already decided
  else throw error;
});

const receipt = await parley.approvals.receipt({ approvalId });
console.log(receipt.decision?.status); // approved
