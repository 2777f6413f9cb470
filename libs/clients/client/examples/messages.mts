const { id: conversationId } = await parley.conversations.create();
const { runId } = await parley.runs.start({ conversationId, input: { text: 'repeat after me: hello' } });
for await (const frame of parley.conversations.stream({ conversationId }))
  if (frame.payload.type === 'run.ended' && frame.payload.runId === runId) break;

for await (const { id: messageId, role } of parley.conversations.messages({ conversationId })) {
  if (role === 'user') continue; // only the agent's messages can be rated
  await parley.messages.rate({ conversationId, messageId, rating: 'down', text: 'too short' });
}
