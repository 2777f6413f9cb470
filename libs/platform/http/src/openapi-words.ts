import { productVersion, specificationRevision, type JsonObject } from '@app/kernel';
import type { Area } from './operation';

const description = `Parley gives a partner's users an AI agent that holds conversations, runs tools, and moves money only with consent.

Runs are asynchronous: a \`202\` means that the work was accepted, and the conversation's journal tells what came of it. A tool that
needs consent opens an approval; its contract and fingerprint are what the user decides on. A completed run is never evidence of
settlement: \`financialOperations.get\` is.

Every call to \`/v1\` carries a partner key and the user's access token. Response objects are open: ignore members that you do not know.
Request bodies are closed: a member that is not documented is refused; \`null\` for a member that is not required is its absence. Enums
are closed. Every failure says whether the same request can succeed later (\`retryable\`); every 503 can. The events of the
journal are described by \`/asyncapi.json\`.`;

/** One line for each group of operations; the first part of an operation's name is its group. */
const tags: Readonly<Record<string, string>> = {
  users: 'The account that every other path starts from',
  conversations: 'Conversations with their messages, and the stream of their journal',
  runs: 'Agent runs: started, followed, stopped',
  approvals: 'What a tool call needs the user to decide, with the exact contract behind it',
  wallets: "The user's agent wallet and direct withdrawals from it",
  financialOperations: 'What became of money that was asked for: the only evidence of settlement',
  budget: "The user's spend headroom, and every cent of it",
  automations: 'Rules that fire on schedules and events',
  artifacts: 'Files of a conversation',
  events: "A conversation's journal, in pages",
  activity: 'What is going on, and what happened, over all conversations',
  service: 'Health and documents of the service itself; open without credentials',
  sandbox: 'Levers of the sandbox, on loopback only: tokens, clock, prices, deposits, faults',
};

/** The group of an operation: `runs` for `runs.start`. @throws Error for a group without a line above */
export function tagOf(operation: string): string {
  const tag = operation.split('.')[0] ?? '';
  if (tags[tag] === undefined) throw new Error(`no group is described for ${operation}`);
  return tag;
}

export function documentHead(baseUrl: string, operations: readonly string[]): JsonObject {
  const used = new Set(operations.map(tagOf));
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley partner API',
      version: productVersion,
      'x-specification-revision': specificationRevision,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: Object.entries(tags).flatMap(([name, line]) => (used.has(name) ? [{ name, description: line }] : [])),
  };
}

/** Who may call what. */
export const securityOf = {
  schemes: {
    partnerKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: "The partner backend's key" },
    userToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: "The end user's access token, forwarded by the partner's backend",
    },
    webhookSignature: {
      type: 'apiKey',
      in: 'header',
      name: 'webhook-signature',
      description: 'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 over `id.timestamp.body`',
    },
  } satisfies JsonObject,
  area(area: Area, signed: boolean): JsonObject[] {
    if (area === 'partner') return [{ partnerKey: [], userToken: [] }];
    return signed ? [{ webhookSignature: [] }] : [];
  },
};
