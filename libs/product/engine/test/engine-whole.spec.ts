/** Issue 4, "Done when": a provider and an MCP server by environment variables alone, for one provider in the processes of the build. */
import { conversationOf, eventsOf, resultsIn, say } from '@app/testing/journeys';
import { LoopbackMcp, saying } from '@app/testing/mcp';
import { LoopbackModels, type Provider } from '@app/testing/models';
import { type DeploymentOptions, startDeployment } from '@app/testing/deployment';

const outputSchema = {
  type: 'object',
  properties: { total: { type: 'integer' }, currency: { enum: ['USD', 'EUR'] } },
  required: ['total', 'currency'],
  additionalProperties: false,
};
const answer = JSON.stringify({ total: 42, currency: 'EUR' });
const inputTokens = 1_000_000;

it.each<[Provider, DeploymentOptions['mode']]>([
  ['openai-compatible', 'processes'],
  ['anthropic', 'in-process'],
])(
  'two tools, an MCP tool, an artifact and an output schema make one run of %s (%s), and it adds up',
  async (provider, mode) => {
    const mcp = await LoopbackMcp.start();
    mcp.tools = [{ name: 'rates', annotations: { readOnlyHint: true } }];
    mcp.answer = () => saying('1 USD is 0.9 EUR');
    const models = await LoopbackModels.start(provider);
    const servers = [{ name: 'bank', transport: { type: 'http', url: mcp.url }, consent: 'auto' }];
    const deployment = await startDeployment({
      mode,
      env: { ...models.environment(), MCP_SERVERS: JSON.stringify(servers), BUDGET_DAY_CENTS: '100000' },
    });
    try {
      const user = await deployment.newUser();
      const conversationId = await conversationOf(user);
      const upload = await fetch(user.url(`/conversations/${conversationId}/artifacts?name=bill.csv`), {
        method: 'POST',
        headers: { ...user.headers, 'content-type': 'text/csv' },
        body: 'what,amount\ntea,42\n',
      });
      const { id: artifactId } = (await upload.json()) as { id: string }; // reason: the specification says so
      expect(upload.status).toBe(201);

      models.says([
        {
          calls: [
            { tool: 'current_time', input: { timezone: 'Europe/Berlin' } },
            { tool: 'artifact_read', input: { artifactId } },
            { tool: 'bank_rates', input: {} },
          ],
          usage: { inputTokens, outputTokens: 10 },
        },
        { text: [answer.slice(0, 5), answer.slice(5)], usage: { inputTokens: 10, outputTokens: 100 } },
      ]);
      const profile = { tools: ['current_time', 'artifact_read', 'bank_rates'], outputSchema };
      const input = { text: 'what does the bill come to?', artifactIds: [artifactId] };
      const run = await say(user, conversationId, input.text, { input, profile });
      // At 3 and 15 dollars a million: 300 cents and a little for the first step, a little for the second, rounded up once.
      expect(run).toMatchObject({
        status: 'completed',
        output: { total: 42, currency: 'EUR' },
        response: { text: answer },
        failure: null,
        usage: { inputTokens: inputTokens + 10, outputTokens: 110, costCents: 301 },
      });

      const steps = await eventsOf(user, conversationId, 'agent.step');
      const costs = steps.map(({ usage }) => (usage as { costCents: number }).costCents); // reason: as above
      expect(costs.reduce((sum, cents) => sum + cents, 0)).toBe(301);
      const returned = await eventsOf(user, conversationId, 'tool.returned');
      expect(returned.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
      const shown = resultsIn(await models.asked(2)).join('\n');
      for (const seen of ['Europe/Berlin', 'tea,42', '1 USD is 0.9 EUR']) expect(shown).toContain(seen);
    } finally {
      await deployment.stop();
      await models.close();
      await mcp.stop();
    }
  },
);
