const { id: conversationId } = await parley.conversations.create({ title: 'Savings' });

// Oldest first, the same frames as in the stream.
for await (const { seq, payload } of parley.events.list({ conversationId })) console.log(seq, payload.type); // 1 conversation.created

// Keep `endCursor`, and pass it to ask for newer events.
const { endCursor } = await parley.events.list({ conversationId });
await parley.conversations.update({ conversationId, title: 'Savings and rent' });
const news = await parley.events.list({ conversationId, cursor: endCursor });
console.log(news.data.map(({ payload }) => payload.type).join()); // conversation.updated
