import { isReason } from '@parley/client';

await parley.wallets.ensure();
const { id: conversationId } = await parley.conversations.create();
const run = await parley.runs.start({ conversationId, input: { text: 'withdraw 1.5 USDC' } });
let approvalId = '';
for await (const { payload } of parley.conversations.stream({ conversationId, after: run.seq })) {
  if (payload.type !== 'approval.opened') continue;
  approvalId = payload.approvalId;
  break;
}

const { summary, fingerprint } = await parley.approvals.get({ approvalId });
console.log(summary); // Withdraw 1.5 USDC to your main account, once.

// Send exactly the fingerprint of what the user saw.
await parley.approvals.approve({ approvalId, fingerprint });
await parley.approvals.deny({ approvalId }).catch((error) => {
  if (isReason(error, 'approval_not_pending'))
    console.log('already decided'); // already decided
  else throw error;
});

const receipt = await parley.approvals.receipt({ approvalId });
console.log(receipt.decision?.status); // approved
