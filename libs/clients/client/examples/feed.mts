// Store the cursor together with your handling of events; `now` is the end of the feed.
let { endCursor: cursor } = await parley.feed.list({ cursor: 'now' });

const { id: conversationId } = await parley.conversations.create();
const { runId } = await parley.runs.start({ conversationId, input: { text: 'help' } });

// The events of all users, as they happen, over as many connections as needed.
for await (const { event, cursor: after } of parley.feed.stream({ after: cursor })) {
  // In one transaction: your handling of the event, and the cursor after it. `event.id` is the `webhook-id` of its
  // deliveries.
  cursor = after;
  if (event.data.runId !== runId) continue;
  console.log(event.type, event.data.status); // run.ended completed
  break;
}

// In pages, for a job that runs from time to time.
for await (const page of parley.feed.list({ cursor }).pages()) {
  for (const event of page.data) console.log(event.type, event.data.userId);
  cursor = page.endCursor;
}
console.log(`all is read up to ${cursor}`); // all is read up to …
