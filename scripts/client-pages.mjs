// The pages of @parley/client, one for each resource: the OpenAPI document's descriptions of its operations, below an example that runs.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileName, followed, isPartnerPath, operationsOf, ownReasons, tagText } from './client-operations.mjs';
import { resolved } from './openapi-document.mjs';
import { root } from './tool.mjs';

const folder = path.join(root, 'libs', 'clients', 'client');
const documentFile = path.join(folder, 'src', 'generated', 'openapi.json');

/** Writes the pages in their current form. Needs the output of the client's build. @returns the paths that were written */
export function writeClientPages() {
  return Object.entries(clientPages()).map(([name, text]) => {
    const file = path.join(folder, 'docs', name);
    writeFileSync(file, text);
    return path.relative(root, file);
  });
}

/** @returns {Record<string, string>} texts by file name in libs/clients/client/docs. Throws when a resource has no example. */
export function clientPages() {
  const document = JSON.parse(readFileSync(documentFile, 'utf8'));
  const paths = Object.entries(document.paths).filter(([route]) => isPartnerPath(route));
  const operations = operationsOf({ ...document, paths: Object.fromEntries(paths) });
  const names = [...new Set(operations.map(({ resource }) => resource))];
  const pages = names.map((name) => {
    const example = readFileSync(path.join(folder, 'examples', `${fileName(name)}.mts`), 'utf8');
    const own = operations.filter(({ resource }) => resource === name);
    return [`${fileName(name)}.md`, page(document, name, example, own)];
  });
  return Object.fromEntries(pages);
}

function page(document, name, example, operations) {
  const shown = new Map();
  const sections = operations.map((operation) => section(document, operation, shown));
  const schemas = [...shown].map(([schema, definition]) => schemaText(document, schema, definition, shown));
  return [
    `# parley.${name}`,
    `<!-- Made by \`npm run docs\` from the OpenAPI document and examples/${fileName(name)}.mts. -->`,
    `${sentence(tagText(document, name))} \`parley\` is a [\`ParleyClient\`](../README.md); where a method takes \`userId\`, the client knows its own user.`,
    `\`\`\`ts\n${example.trimEnd()}\n\`\`\``,
    ...sections,
    ...(schemas.length === 0 ? [] : ['## What they take and answer', ...schemas]),
  ]
    .join('\n\n')
    .concat('\n');
}

function section(document, { id, resource, name, method, path: route, operation, input }, shown) {
  const isFollowed = followed[id] !== undefined;
  const required = isFollowed ? followed[id].path : input.schema.required;
  const rows = Object.entries(isFollowed ? followInput(id, input) : input.schema.properties)
    .filter(([member]) => member !== 'userId')
    .map(([member, schema]) => row(document, member, schema, required.includes(member), shown));
  const reasons = ownReasons(operation).map((reason) => `\`${reason}\``);
  return [
    `## ${resource}.${name}`,
    [operation.summary, operation.description].filter(Boolean).map(sentence).join(' '),
    `\`${method} ${route}\` answers ${isFollowed ? followed[id].answers : answerText(document, operation, input, shown)}.`,
    ...(reasons.length === 0 ? [] : [`Refused with ${reasons.join(', ')}.`]),
    ...(rows.length === 0 ? [] : [table('takes', rows)]),
  ].join('\n\n');
}

/** The client resumes by itself; `after` says where to begin. */
function followInput(id, { schema }) {
  const ids = followed[id].path.map((name) => [name, schema.properties[name]]);
  return { ...Object.fromEntries(ids), after: { ...schema.properties.cursor, description: followed[id].after } };
}

function answerText(document, operation, { query }, shown) {
  const [, response] = Object.entries(operation.responses).find(([status]) => /^2/.test(status));
  const [content] = Object.values(resolved(document, response).content ?? {});
  if (content === undefined) return 'nothing';
  if (content.schema.format === 'binary') return 'bytes, a `Uint8Array`';
  const answered = resolved(document, content.schema);
  const isList =
    query.includes('cursor') && content.schema.$ref.endsWith('Page') && answered.properties?.data !== undefined;
  return isList
    ? `a list of ${typeText(document, answered.properties.data.items, shown)}`
    : typeText(document, content.schema, shown);
}

function schemaText(document, name, schema, shown) {
  const said = [plain(schema.description ?? '')].filter(Boolean).map(sentence);
  const required = schema.required ?? [];
  const rows = Object.entries(schema.properties ?? {}).map(([member, own]) =>
    row(document, member, own, required.includes(member), shown, 'no further'),
  );
  const variants = (schema.oneOf ?? schema.anyOf ?? []).map((one) => typeText(document, one, shown, 'no further'));
  const parts = variants.length === 0 ? [] : [`One of ${variants.join(', ')}.`];
  return [`### ${name}`, ...said, ...parts, ...(rows.length === 0 ? [] : [table('member', rows)])].join('\n\n');
}

const table = (first, rows) => [`| ${first} | type | |`, '| --- | --- | --- |', ...rows].join('\n');

function row(document, member, schema, isRequired, shown, depth) {
  const told = plain(schema.description ?? resolved(document, schema).description ?? '');
  const optional = isRequired ? '' : '?';
  const type = member === 'content' && schema.type === undefined ? '`string`, a `Blob`, or bytes' : null;
  const cells = [`\`${member}${optional}\``, type ?? typeText(document, schema, shown, depth), sentence(told)];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** The client's form of a type. Named schemas are collected in `shown`, so that the page shows their members too. */
function typeText(document, schema, shown, depth) {
  const inner = (one) => typeText(document, one, shown, depth);
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1);
    const definition = resolved(document, schema);
    const hasMembers = definition.properties !== undefined || (definition.oneOf ?? definition.anyOf) !== undefined;
    if (depth === undefined && hasMembers) shown.set(name, definition);
    return shown.has(name) ? `[\`${name}\`](#${name.toLowerCase()})` : `\`${name}\``;
  }
  const several = schema.anyOf ?? schema.oneOf;
  if (several !== undefined) return several.map(inner).join(' | ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' | ');
  if (schema.type === 'array') return `${inner(schema.items)}[]`;
  const types = [schema.type ?? []].flat();
  return types.length === 0
    ? '`unknown`'
    : types.map((type) => `\`${type === 'integer' ? 'number' : type}\``).join(' | ');
}

/** Removes the sentence that every body has, because the client's types express it. */
const plain = (text) => text.replaceAll(/ ?In a request, [^.]*\./g, '').trim();

const sentence = (text) => (text === '' || /[.:]$/.test(text) ? text : `${text}.`);
