const { id: conversationId } = await parley.conversations.create();
const { id: artifactId, name } = await parley.artifacts.upload({
  conversationId,
  name: 'orders.csv',
  content: new TextEncoder().encode('id,total\n1,19.90\n'),
  contentType: 'text/csv',
});
console.log(name); // orders.csv

const bytes = await parley.artifacts.content({ conversationId, artifactId });
console.log(new TextDecoder().decode(bytes).split('\n')[0]); // id,total

const { response } = await parley.artifacts.content({ conversationId, artifactId }).withResponse();
console.log(response.headers.get('content-type')); // text/csv…

for await (const artifact of parley.artifacts.list({ conversationId })) console.log(artifact.name, artifact.bytes); // orders.csv 17
