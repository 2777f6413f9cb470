import { isJsonObject, productVersion, specificationRevision, type JsonObject, type JsonValue } from '@app/kernel';
import type { Contract, OperationGroup } from '../operation/operation';

/** The document's description of the API as a whole; the composition of the slices binds it. */
export abstract class ApiDescription {
  abstract readonly title: string;
  /** Markdown. */
  abstract readonly description: string;
  /** In reading order. */
  abstract readonly groups: readonly OperationGroup[];
}

/** The head of the document, with the groups that operations belong to. @throws Error for an operation without a group */
export function documentHead(
  baseUrl: string,
  { title, description, groups }: ApiDescription,
  operations: readonly string[],
): JsonObject {
  const used = new Set(operations.map(tagOf));
  const known = groups.filter(({ name }) => used.delete(name));
  if (used.size > 0) throw new Error(`no group is described for ${[...used].join(', ')}`);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: productVersion,
      'x-specification-revision': specificationRevision,
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: known.map((group) => ({ ...group })),
  };
}

/** The name of an operation's group: `runs` of `runs.start`. */
export function tagOf(operation: string): string {
  return operation.split('.')[0] ?? '';
}

/** Security schemes, and which operations require them. */
export const securityOf = {
  schemes: {
    partnerKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: "The partner backend's key" },
    userToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: "The end user's access token, forwarded by the partner's backend",
    },
    operatorToken: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: "An operator's access token, whose `scope` names what it is good for",
    },
    webhookSignature: {
      type: 'apiKey',
      in: 'header',
      name: 'webhook-signature',
      description: 'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 over `id.timestamp.body`',
    },
  } satisfies JsonObject,
  /** The schemes that some operation requires. */
  schemesOf(operations: readonly JsonObject[]): JsonObject {
    const named = new Set(operations.flatMap(({ security }) => namesIn(security)));
    return Object.fromEntries(Object.entries(securityOf.schemes).filter(([name]) => named.has(name)));
  },
  contract({ area, scope, signed }: Contract): JsonObject[] {
    if (area === 'partner') return [{ partnerKey: [], userToken: [] }];
    if (area === 'feed') return [{ partnerKey: [] }];
    if (scope !== undefined) return [{ operatorToken: [scope] }];
    return signed === true ? [{ webhookSignature: [] }] : [];
  },
};

/** The schemes that an operation's `security` names. */
function namesIn(security: JsonValue | undefined): string[] {
  const wanted = Array.isArray(security) ? security : [];
  return wanted.flatMap((one: JsonValue) => (isJsonObject(one) ? Object.keys(one) : []));
}
