// The operations of the OpenAPI document as methods of @parley/client: where each is found, and its input.
import { methods, resolved } from './openapi-document.mjs';

/** The operations that the client follows by itself, over as many connections as needed: the replacement of each call. */
export const followed = {
  'conversations.stream': {
    call: 'follow',
    input: 'FollowInput',
    frame: 'JournalFrame',
    path: ['conversationId'],
    after: 'Begin strictly after this `seq`, such as a `lastSeq`',
    answers: 'frames, one by one',
  },
  'feed.stream': {
    call: 'followFeed',
    input: 'FeedInput',
    frame: 'FeedFrame',
    path: [],
    after: 'Begin strictly after this cursor: an `endCursor`, or the `cursor` of a frame; `now` is the end',
    answers:
      'frames, one by one: `{ cursor, event }`, the `event` as `feed.list` has it, the `cursor` the place behind it',
  },
};

/** Whether a path is for partners. */
export const isPartnerPath = (path) => path.startsWith('/v1/') || path.startsWith('/feed/v1/');

const bytes = 'application/octet-stream';

/** Every operation with its place in the client: `runs.start` is `parley.runs.start`; `budget` is `parley.budget.get`. */
export function operationsOf(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const [resource, name = method] = operation.operationId.split('.');
      const parameters = (operation.parameters ?? []).map((parameter) => resolved(document, parameter));
      const input = inputOf(document, operation, parameters);
      return [{ id: operation.operationId, resource, name, method: method.toUpperCase(), path, operation, input }];
    }),
  );
}

/**
 * The input of a method: path ids, members of the query and those of the body, in one object. If two of them share a name, the body is
 * passed as a whole, as `body`; bytes are passed as `content`.
 */
function inputOf(document, operation, parameters) {
  const of = (place) => parameters.filter((parameter) => parameter.in === place);
  const named = [...of('path'), ...of('query')];
  const properties = Object.fromEntries(named.map((parameter) => [parameter.name, parameterSchema(parameter)]));
  const required = named.filter(({ required, name }) => required && name !== 'userId').map(({ name }) => name);
  const body = resolved(document, operation.requestBody);
  const query = of('query').map(({ name }) => name);
  const given = bodyMembers(document, body, new Set(Object.keys(properties)));
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      properties: { ...properties, ...given.properties },
      required: [...required, ...given.required],
    },
    query,
    bodyAs: given.as,
  };
}

function bodyMembers(document, body, taken) {
  if (body === undefined) return { as: 'none', properties: {}, required: [] };
  if (body.content[bytes] !== undefined) {
    const content = { description: `${body.description}` };
    const contentType = { type: 'string', description: 'Its media type; `application/octet-stream` when absent' };
    return { as: 'bytes', properties: { content, contentType }, required: ['content'] };
  }
  const given = body.content['application/json'].schema;
  const { properties = {}, required = [], additionalProperties, oneOf, anyOf, allOf } = resolved(document, given);
  const names = Object.keys(properties);
  const isFlat = (oneOf ?? anyOf ?? allOf) === undefined && (names.length > 0 || additionalProperties === false);
  if (isFlat && !names.some((name) => taken.has(name))) return { as: 'members', properties, required };
  return { as: 'whole', properties: { body: given }, required: body.required === true ? ['body'] : [] };
}

function parameterSchema({ name, description, schema }) {
  const text =
    name === 'userId' ? 'Whose. The client knows its own user: see `userId` of `ParleyClientOptions`' : description;
  return { ...schema, description: text };
}

/** The operation's own reasons for refusing a call. */
export function ownReasons(operation) {
  return Object.entries(operation['x-reasons'] ?? {}).flatMap(([status, own]) => (status === '409' ? own : []));
}

/** The description of a resource, from its tag. */
export function tagText(document, name) {
  const found = document.tags.find((tag) => tag.name === name);
  if (found === undefined) throw new Error(`the OpenAPI document has no tag ${name}`);
  return found.description;
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);
export const className = capital;
export const inputName = ({ resource, name }) => `${capital(resource)}${capital(name)}Input`;
export const fileName = (resource) => resource.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
