// Baseline: LangGraph's graphs that wait for a decision, resumed behind Fastify with the product's checks. A decision
// is answered once the node's result is in the graph's checkpoint in PostgreSQL.
import { randomUUID } from 'node:crypto';
import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { checkedServer, serve } from './checked-server.mjs';

const checkpointer = PostgresSaver.fromConnString(process.env.DATABASE_URL);
await checkpointer.setup();

/** One node, which interrupts itself for a decision and has nothing to do once the decision is made. */
const state = Annotation.Root({ amountRaw: Annotation(), decision: Annotation() });
const graph = new StateGraph(state)
  .addNode('transfer', ({ amountRaw }) => ({ decision: interrupt({ tool: 'transfer', amountRaw }) }))
  .addEdge(START, 'transfer')
  .addEdge('transfer', END)
  .compile({ checkpointer });

const configOf = (threadId) => ({ configurable: { thread_id: threadId } });

const app = checkedServer();
app.post('/users/:userId/agent-runs', async (request, reply) => {
  const id = randomUUID();
  await graph.invoke({ amountRaw: '10000' }, configOf(id));
  return reply.code(202).send({ id, status: 'waiting' });
});
app.post('/users/:userId/approvals/:id/:decision', async ({ params }) => {
  const { decision } = await graph.invoke(new Command({ resume: params.decision }), configOf(params.id));
  if (decision !== params.decision) throw new Error(`the graph ended with ${decision}`);
  return { decided: true };
});
await serve(app);
