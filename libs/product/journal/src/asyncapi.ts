import { openedSchemas, reachable, SchemaComponents } from '@app/http';
import { limits, productVersion, specificationRevision, type JsonObject } from '@app/kernel';
import type { Schema } from '@app/schema';
import { frames, type DescribedFrame } from './fin-event.schema';

const about = `The events of Parley's conversations, as \`conversations.stream\` delivers them over server-sent events and \`events.list\` pages
through them. Both are described as HTTP by \`/openapi.json\`. The set of event types is closed within \`/v1\`; objects are open: ignore members
that you do not know.`;

/** The lifetime of a stream, in the words of documents, guide and decisions. @param untils further ends of this kind of stream */
export function lifeOf(untils: string): string {
  return (
    `A stream ends after 24 to 30 minutes, ${untils}, when its reader cannot keep up, and when its replica drains: come back, ` +
    'and go on where you were.'
  );
}

export const streamLife = lifeOf(
  'when its token expires, within 30 s after its key is revoked or its account is disabled',
);

const aboutStream = `A journal is one ordered sequence of durable events; \`seq\` counts them from 1 without gaps. The stream replays what comes
strictly after the cursor, then delivers what happens.

- Each frame's SSE \`event\` is the type of its payload, its \`data\` is one of the messages below. Durable frames carry \`seq\` as SSE \`id\`;
  live frames have no \`id\`, no \`seq\` and no \`requestId\`, and are never replayed.
- To resume, send the last \`id\` as header \`Last-Event-ID\`, or as query parameter \`cursor\`; the header wins. Nothing is missed and nothing
  comes twice. A cursor past the end of the journal waits. Browsers' \`EventSource\` resumes by itself.
- The stream begins with \`retry: 2000\`: wait so long before coming back. A comment frame is the heartbeat, every 15 s; a connection
  that brings no byte for 45 s is broken.
- ${streamLife} More streams than a user or a replica may have are 429 \`stream_capacity\` with \`Retry-After\`.`;

const channel = '#/channels/conversationEvents';
const parameters: JsonObject = {
  userId: { description: "The token's own account, as `users.ensure` answers it" },
  conversationId: { description: 'A conversation of that account' },
};

export interface EventsDocumentOptions {
  /** The address of the described service. */
  readonly baseUrl: string;
  /** Shapes of other slices that the events' schemas name; shapes that are not named stay out. */
  readonly shapes: readonly Schema[];
  /** Other streams of the service. */
  readonly channels?: readonly DescribedChannel[];
}

/** A stream of another slice, with one form of message, and without a user. */
export interface DescribedChannel {
  readonly name: string;
  readonly address: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly operation: {
    readonly name: string;
    readonly title: string;
    readonly summary: string;
    readonly cursor: JsonObject;
  };
  readonly message: DescribedMessage;
}

interface DescribedMessage {
  readonly name: string;
  readonly summary: string;
  readonly payload: Schema;
  readonly example: JsonObject;
}

/** The AsyncAPI 3 document of the journal's events, from the same schemas that describe `events.list`. */
export function asyncApiDocument({ baseUrl, shapes, channels = [] }: EventsDocumentOptions): JsonObject {
  const components = new SchemaComponents();
  for (const shape of shapes) components.refer(shape);
  const types = frames.map(({ type }) => type);
  const described = [...frames.map(messageIn), ...channels.map(({ message }) => message)];
  const messages = Object.fromEntries(described.map((message) => [message.name, messageOf(message, components)]));
  const { schemas } = components;
  const named = reachable(messages, schemas);
  const events = Object.fromEntries(Object.entries(schemas).filter(([name]) => named.has(name)));
  return {
    asyncapi: '3.0.0',
    info: {
      title: "Parley's journal",
      version: productVersion,
      'x-specification-revision': specificationRevision,
      description: about,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [{ name: 'conversations', description: 'Events of conversations' }],
    },
    defaultContentType: 'application/json',
    servers: { deployment: serverAt(new URL(baseUrl)) },
    channels: {
      conversationEvents: {
        address: '/v1/users/{userId}/conversations/{conversationId}/stream',
        title: 'Events of a conversation',
        description: aboutStream,
        parameters,
        messages: Object.fromEntries(types.map((type) => [type, { $ref: `#/components/messages/${type}` }])),
      },
      ...Object.fromEntries(channels.map((one) => [one.name, channelOf(one)])),
    },
    operations: {
      'conversations.stream': operation(types),
      ...Object.fromEntries(channels.map((one) => [one.operation.name, operationOf(one)])),
    },
    components: { messages, schemas: openedSchemas(events, messages, null), securitySchemes },
  };
}

function messageIn({ type, payload, frame, example }: DescribedFrame): DescribedMessage {
  return { name: type, summary: String(payload['description']), payload: frame, example };
}

function messageOf({ name, summary, payload, example }: DescribedMessage, components: SchemaComponents): JsonObject {
  return {
    name,
    title: name,
    summary,
    contentType: 'application/json',
    payload: components.refer(payload),
    examples: [{ name, payload: example }],
  };
}

function channelOf({ address, title, description, message: { name } }: DescribedChannel): JsonObject {
  return { address, title, description, messages: { [name]: { $ref: `#/components/messages/${name}` } } };
}

function operationOf({ name, operation: { title, summary, cursor }, message }: DescribedChannel): JsonObject {
  return {
    action: 'receive',
    channel: { $ref: `#/channels/${name}` },
    title,
    summary,
    ...receiving(cursor, `#/channels/${name}`, [message.name]),
  };
}

const seqCursor = {
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: limits.streamCursorMax,
  default: 0,
  description: 'Resume strictly after this `seq`',
};

function operation(types: readonly string[]): JsonObject {
  return {
    action: 'receive',
    channel: { $ref: channel },
    title: 'Follow a conversation',
    summary: 'What happened in a conversation after a cursor, and what happens',
    security: [{ $ref: '#/components/securitySchemes/userToken' }],
    ...receiving(seqCursor, channel, types),
  };
}

/** The binding to HTTP, and the messages, of an operation that follows a channel after a cursor. */
function receiving(cursor: JsonObject, ref: string, messages: readonly string[]): JsonObject {
  const query = { type: 'object', properties: { cursor } };
  return {
    bindings: { http: { method: 'GET', query, bindingVersion: '0.3.0' } },
    messages: messages.map((name) => ({ $ref: `${ref}/messages/${name}` })),
  };
}

function serverAt({ host, protocol, pathname }: URL): JsonObject {
  return {
    host,
    protocol: protocol.slice(0, -1),
    ...(pathname !== '/' && { pathname }),
    description: 'This deployment. Every call carries both credentials: this one, and that of the operation',
    // One of an operation's schemes suffices, but its server's must be satisfied as well: so both are needed.
    security: [{ $ref: '#/components/securitySchemes/partnerKey' }],
  };
}

const securitySchemes: JsonObject = {
  partnerKey: { type: 'httpApiKey', in: 'header', name: 'X-Api-Key', description: "The partner backend's key" },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: "The end user's access token, forwarded by the partner's backend",
  },
};
