const { id: conversationId } = await parley.conversations.create();

// With an id of your own a run is started once, however often the call is repeated; without one the client makes it.
const runId = crypto.randomUUID();
const started = await parley.runs.start({
  runId,
  conversationId,
  input: { text: 'what is my balance' },
  profile: { tools: ['wallet_balances'] },
});
console.log(started.runId === runId, started.seq); // true 2

for await (const { payload } of parley.conversations.stream({ conversationId, after: started.seq })) {
  if (payload.type === 'run.ended') break;
}
const run = await parley.runs.get({ runId });
console.log(run.status, run.usage.costCents > 0); // completed true

for await (const { id, status } of parley.runs.list({ conversationId, limit: 20 })) console.log(id === runId, status); // true completed
