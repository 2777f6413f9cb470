import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ModulesContainer } from '@nestjs/core';
import { parametersOf, SchemaComponents, findContracts, type Contract } from '@app/http';
import { isJsonObject } from '@app/kernel';
import type { Deployment } from '@app/testing/deployment';
import type { Ids, OperationCall, ResourceId } from './operation-call';
import { partOf } from '@app/testing/journeys';
import { fullerBodies } from './things';

const libs = join(__dirname, '..', '..', 'libs');

/** The ids that tests can name: `thingsOf` creates one thing for each. */
const resourceIds: readonly ResourceId[] = [
  'conversationId',
  'runId',
  'approvalId',
  'operationId',
  'artifactId',
  'messageId',
  'automationId',
  'inputId',
];

/** The contracts of every `*.contract.ts`, read from files because specs are named before anything is started that could list them. */
const allContracts: readonly Contract[] = readdirSync(libs, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.contract.ts'))
  .flatMap((path) => Object.values(jest.requireActual<Record<string, unknown>>(join(libs, path))))
  .filter((exported) => isContract(exported));

/** The contracts under `/v1`. */
export const contracts = allContracts.filter(({ area }) => area === 'partner');

/** The contracts under `/operator/v1`. */
export const operatorContracts = allContracts.filter(({ area }) => area === 'operator');

/** The contracts under `/feed/v1`. */
export const feedContracts = allContracts.filter(({ area }) => area === 'feed');

/** Every operation under `/v1`, called as the examples of its contract say. */
export const operations: readonly OperationCall[] = contracts.map(callOf);

function callOf(contract: Contract): OperationCall {
  const { operation, method, path, status, account, answer, body } = contract;
  const example = exampleOf(contract);
  const query = queryOf(contract);
  const mediaType = answer === null || !('mediaType' in answer) ? null : answer.mediaType;
  const takesBytes = typeof body === 'object' && 'stream' in body;
  return {
    operation,
    method,
    path,
    status,
    resources: resourcesOf(path, example),
    ...(Object.keys(example).length > 0 && { body: fullerBodies[operation] ?? ((ids) => fill(example, ids)) }),
    ...(takesBytes && { bytes: { body: 'It rained.', query: new URLSearchParams(query).toString() } }),
    ...(!takesBytes && Object.keys(query).length > 0 && { query }),
    ...(account === 'not required' && { account }),
    ...(mediaType === 'text/event-stream' && { streams: true }),
    ...(mediaType !== null && mediaType !== 'text/event-stream' && { answersBytes: true }),
  };
}

function exampleOf({ examples }: Contract): Readonly<Record<string, unknown>> {
  return isJsonObject(examples?.body) ? examples.body : {};
}

/** Fills the example with ids of existing things, and with an idempotency key that no other call has used. */
function fill(example: Readonly<Record<string, unknown>>, ids: Ids): object {
  const filled: Readonly<Record<string, unknown>> = { ...ids, idempotencyKey: randomUUID() };
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, filled[name] ?? value]));
}

/** The query's parameters, each with its example, without a list's cursor, because only the previous page contains that. */
export function queryOf(contract: Contract): Readonly<Record<string, string>> {
  const known = parametersOf(contract, new SchemaComponents()).filter(({ in: place }) => place === 'query');
  const told = known.filter(
    ({ name, schema }) => name !== 'cursor' || (isJsonObject(schema) && schema['type'] !== 'string'),
  );
  return Object.fromEntries(told.map(({ name, example }) => [textOf(name), textOf(example)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The resources that a call acts on, by the ids of its path and body. The id of a run in a body is excluded, because the caller chooses it.
 */
function resourcesOf(path: string, example: object): OperationCall['resources'] {
  const inPath = resourceIds.filter((id) => path.includes(`:${id}`)).map((id) => ({ id, in: 'path' }) as const);
  const inBody = resourceIds.filter((id) => id in example && id !== 'runId').map((id) => ({ id, in: 'body' }) as const);
  return [...inPath, ...inBody];
}

function isContract(value: unknown): value is Contract {
  return typeof value === 'object' && value !== null && 'operation' in value && 'area' in value;
}

/**
 * The parts that a contract lacks and without which its cells would prove little, in words; empty if nothing is missing.
 * @param known the ids in its path for which things exist
 */
export function missingIn(
  { path, body, examples, answer }: Contract,
  known: readonly string[] = ['userId', ...resourceIds],
): string[] {
  const takesJson = typeof body === 'function' || (typeof body === 'object' && 'readByHandler' in body);
  const answersJson = answer !== null && !('mediaType' in answer);
  const unknownIds = [...path.matchAll(/[:*](\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !known.includes(name));
  return [
    ...(takesJson && examples?.body === undefined ? ['an example of its body'] : []),
    ...(answersJson && examples?.answer === undefined ? ['an example of its answer'] : []),
    ...unknownIds.map((name) => `a thing for ${name}`),
  ];
}

/** The path of a call with these ids, escaped, with this query or, by default, the one that it requires. */
export function pathOf({ path, bytes }: OperationCall, ids: Ids, query?: OperationCall['query']): string {
  const named = path.replace(/:(\w+Id)/g, (_, name: keyof Ids) => encodeURIComponent(ids[name]));
  const asked = query === undefined ? bytes?.query : new URLSearchParams(query).toString();
  return asked === undefined ? named : `${named}?${asked}`;
}

/** The routes of an area that the product's controllers serve: `operation METHOD pattern`. */
export function routesOf(deployment: Deployment, area: 'partner' | 'operator' | 'feed' = 'partner'): string[] {
  const served = findContracts(partOf(deployment, ModulesContainer)).filter((contract) => contract.area === area);
  return served.map(({ operation, method, path }) => `${operation} ${method} ${path}`);
}
