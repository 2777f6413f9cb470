await parley.wallets.ensure();
const { id: conversationId } = await parley.conversations.create();
const run = await parley.runs.start({ conversationId, input: { text: 'withdraw 1.5 USDC' } });

for await (const { payload } of parley.conversations.stream({ conversationId, after: run.seq })) {
  if (payload.type === 'approval.opened') {
    const { fingerprint } = await parley.approvals.get({ approvalId: payload.approvalId });
    await parley.approvals.approve({ approvalId: payload.approvalId, fingerprint });
  }
  if (payload.type === 'settlement.updated') break;
}

// The only evidence that money has moved: a completed run is not.
for await (const operation of parley.financialOperations.list()) {
  const { status, actions } = await parley.financialOperations.get({ operationId: operation.id });
  console.log(status, actions.map(({ kind }) => kind).join()); // settled withdraw_to_owner
}
