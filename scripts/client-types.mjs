// The client's knowledge of the service: TypeScript made from its OpenAPI document. Pure: takes the document, returns the files' texts.
import openapiTS, { astToString } from 'openapi-typescript';
import { isPartnerPath } from './client-operations.mjs';
import { clientResources } from './client-resources.mjs';
import { plainComments } from './documentation-comments.mjs';
import { methods, resolved } from './openapi-document.mjs';

const notice = "// Made from the service's OpenAPI document by scripts/client.mjs.\n\n";

/** The closed sets that clients compare with: the name of each, the name of its type, and its place in the document. */
const closedSets = [
  ['reasons', 'Reason', 'Problem.reason'],
  ['withdrawalChanges', 'WithdrawalChange', 'Problem.change'],
  ['conversationStatuses', 'ConversationStatus', 'Conversation.status'],
  ['runStatuses', 'RunStatus', 'Run.status'],
  ['runFailureReasons', 'RunFailureReason', 'RunFailure.reason'],
  ['toolOutcomes', 'ToolOutcome', 'ToolReturned.outcome'],
  ['approvalKinds', 'ApprovalKind', 'Approval.kind'],
  ['approvalStatuses', 'ApprovalStatus', 'Approval.status'],
  ['walletStatuses', 'WalletStatus', 'Wallet.status'],
  ['walletAuthStatuses', 'WalletAuthStatus', 'Wallet.authStatus'],
  ['financialOperationStatuses', 'FinancialOperationStatus', 'FinancialOperation.status'],
  ['financialActionStatuses', 'FinancialActionStatus', 'OperationAction.status'],
  ['financialFailureReasons', 'FinancialFailureReason', 'OperationFailure.reason'],
  ['automationStates', 'AutomationState', 'Automation.state'],
  ['monitoringStates', 'MonitoringState', 'AutomationStatus.monitoring'],
  ['occurrenceDeliveries', 'OccurrenceDelivery', 'Occurrence.delivery'],
  ['occurrenceTriggers', 'OccurrenceTrigger', 'Occurrence.trigger'],
  ['activityKinds', 'ActivityKind', 'ConversationActivityItem.kind'],
  ['feedEventTypes', 'FeedEventType', 'FeedEvent.type'],
];

/** Members by which the service recognizes a repeated call. The client generates one when none is given. */
const idMembers = ['runId', 'idempotencyKey'];

/** @returns {Promise<Record<string, string>>} texts by file name. Throws when the document lacks anything promised to clients. */
export async function clientTypes(document) {
  const own = partnerApi(document);
  const ids = clientMadeIds(own);
  relax(own, ids);
  adapt(own);
  return {
    'openapi.ts': notice + plainComments(astToString(await openapiTS(own))),
    'enums.ts': notice + [...closedSets.map((row) => closedSet(own, row)), eventTypes(own)].join('\n'),
    'operations.ts': `${notice}/** The member of a call's body that makes a repetition of it known. */\nexport const clientMadeIds = ${text(ids)} as const;\n`,
    ...(await clientResources(own, notice)),
  };
}

/** The operations that partners call, with their successes: every failure is a `Problem`. */
function partnerApi(document) {
  const own = structuredClone(document);
  own.paths = Object.fromEntries(Object.entries(own.paths).filter(([path]) => isPartnerPath(path)));
  for (const item of Object.values(own.paths)) {
    for (const operation of methods.flatMap((method) => item[method] ?? [])) {
      const successes = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
      operation.responses = Object.fromEntries(successes);
    }
  }
  delete own.components.responses;
  return own;
}

function closedSet(document, [name, type, place]) {
  const [schemaName, member] = place.split('.');
  const schema = resolved(document, { $ref: `#/components/schemas/${schemaName}` });
  const values = membersOf(document, schema, member).flatMap((found) => valuesOf(document, found));
  if (values.length === 0) throw new Error(`the OpenAPI document has no closed set at ${place}`);
  return constant(name, type, values, `\`${place}\``);
}

/** A member's schemas, in each of the variants that have it. */
function membersOf(document, schema, member) {
  const { properties, oneOf, anyOf } = resolved(document, schema) ?? {};
  const own = properties?.[member] === undefined ? [] : [properties[member]];
  return [...own, ...(oneOf ?? anyOf ?? []).flatMap((variant) => membersOf(document, variant, member))];
}

/** The discriminators of the journal's events. */
function eventTypes(document) {
  const path = '/v1/users/{userId}/conversations/{conversationId}/events';
  const page = resolved(document, document.paths[path]?.get?.responses['200']?.content['application/json'].schema);
  const event = resolved(document, resolved(document, page?.properties?.data)?.items);
  const types = membersOf(document, event?.properties?.payload, 'type');
  const values = types.flatMap((type) => valuesOf(document, type));
  if (values.length === 0) throw new Error('the OpenAPI document has no closed set of event types');
  return constant('eventTypes', 'EventType', values, "the durable events of a conversation's journal");
}

/** Every text that a schema allows; without the null of a nullable one. */
function valuesOf(document, schema) {
  const { enum: values, const: value, oneOf, anyOf } = resolved(document, schema) ?? {};
  if (values !== undefined) return values;
  if (value !== undefined) return [value];
  return (oneOf ?? anyOf ?? []).flatMap((one) => valuesOf(document, one));
}

function constant(name, type, values, what) {
  return `/** Every value of ${what}. */
export const ${name} = ${text([...new Set(values)])} as const;
export type ${type} = (typeof ${name})[number];
`;
}

/** `POST /path` -> the member of its body by which a repetition is recognized. */
function clientMadeIds(document) {
  const found = bodies(document).flatMap(({ call, schema }) => {
    const member = idMembers.find((name) => schema.properties?.[name] !== undefined);
    return member === undefined ? [] : [[call, member]];
  });
  return Object.fromEntries(found);
}

function bodies(document) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const body = resolved(document, item[method]?.requestBody);
      const schema = resolved(document, body?.content?.['application/json']?.schema);
      return schema === undefined ? [] : [{ call: `${method.toUpperCase()} ${path}`, schema }];
    }),
  );
}

/** Makes members optional that the client generates by itself. */
function relax(document, ids) {
  for (const { call, schema } of bodies(document)) {
    if (schema.required !== undefined) schema.required = schema.required.filter((name) => name !== ids[call]);
  }
}

/** Rewrites what openapi-typescript would understand differently than JSON Schema means it. */
function adapt(value) {
  if (typeof value !== 'object' || value === null) return;
  // Constants distinguish the variants already; openapi-typescript would replace them by the schemas' names.
  if (typeof value.discriminator === 'object' && (value.oneOf ?? value.anyOf) !== undefined) delete value.discriminator;
  // Any body that `fetch` can send.
  if (value['application/octet-stream'] !== undefined) value['application/octet-stream'] = {};
  // It only repeats the name.
  if (typeof value.title === 'string') delete value.title;
  // Any object, not an empty one.
  if (value.type === 'object' && Object.keys(value.properties ?? {}).length === 0) {
    delete value.properties;
    value.additionalProperties ??= true;
  }
  for (const inner of Object.values(value)) adapt(inner);
}

const text = (value) => JSON.stringify(value, null, 2);
