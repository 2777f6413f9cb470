const { id: conversationId } = await parley.conversations.create({ title: 'Savings' });
await parley.conversations.update({ conversationId, title: 'Savings and rent' });

const run = await parley.runs.start({ conversationId, input: { text: 'repeat after me: hello' } });
for await (const frame of parley.conversations.stream({ conversationId })) {
  if (frame.payload.type === 'agent.text_delta') process.stdout.write(frame.payload.text);
  else if (frame.delivery === 'durable') console.log(frame.seq, frame.payload.type); // 1 conversation.created
  if (frame.payload.type === 'run.ended' && frame.payload.runId === run.runId) break;
}

for await (const message of parley.conversations.messages({ conversationId })) {
  console.log(`${message.role}: ${message.text}`); // assistant: hello
}

for await (const { title, status } of parley.conversations.list({ archived: false })) {
  console.log(title, status); // Savings and rent idle
}
await parley.conversations.archive({ conversationId });
