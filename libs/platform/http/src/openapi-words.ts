import { productVersion, specificationRevision, type JsonObject } from '@app/kernel';
import type { Area, OperationGroup } from './operation';

/** What the document says about the API as a whole; the composition of the slices binds it. */
export abstract class ApiDescription {
  abstract readonly title: string;
  /** Markdown. */
  abstract readonly description: string;
  /** In the order in which they are read. */
  abstract readonly groups: readonly OperationGroup[];
}

/** The head of the document, with those of the groups that operations belong to. @throws Error for an operation of no group */
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
