// The resources of @parley/client: `parley.runs.start(…)` for the operation `runs.start`. Pure: takes the document, returns the files'
// texts.
import openapiTS, { astToString } from 'openapi-typescript';
import { format } from 'prettier';
import ts from 'typescript';
import { plainComments } from './documentation-comments.mjs';
import { className, fileName, followed, inputName, operationsOf, ownReasons, tagText } from './client-operations.mjs';

const style = { parser: 'typescript', printWidth: 120, singleQuote: true, trailingComma: 'all' };

/**
 * @param document from which the types are made
 * @returns {Promise<Record<string, string>>} texts by file name: one file per resource, and `resources.ts`, which imports them all
 */
export async function clientResources(document, notice) {
  const operations = operationsOf(document);
  const inputs = await inputInterfaces(document, operations);
  const names = [...new Set(operations.map(({ resource }) => resource))];
  const groups = names.map((name) => [name, operations.filter(({ resource }) => resource === name)]);
  const files = groups.map(([name, own]) => [
    `resources/${fileName(name)}.ts`,
    resourceFile(name, document, own, inputs),
  ]);
  files.push(['resources.ts', indexFile(groups, document)]);
  const texts = files.map(async ([name, text]) => [name, await format(notice + text, style)]);
  return Object.fromEntries(await Promise.all(texts));
}

/** The declaration of each input by the id of its operation, with the documentation of every member. */
async function inputInterfaces(document, operations) {
  const named = operations.map((operation) => [inputName(operation), operation.input.schema]);
  const schemas = { ...document.components.schemas, ...Object.fromEntries(named) };
  const described = { ...document, paths: {}, components: { ...document.components, schemas } };
  const tree = await openapiTS(described, { defaultNonNullable: false });
  const components = tree.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === 'components');
  const types = components.members.find((member) => member.name.text === 'schemas').type.members;
  const byName = new Map(types.map((member) => [member.name.text, member.type]));
  return new Map(operations.map((operation) => [operation.id, membersText(byName.get(inputName(operation)))]));
}

function membersText(type) {
  if (!ts.isTypeLiteralNode(type)) return '';
  for (const member of type.members) {
    if (member.name?.text === 'content') member.type = ts.factory.createTypeReferenceNode('Bytes');
    // An omitted member may be written as undefined.
    const absent = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);
    if (member.questionToken !== undefined) member.type = ts.factory.createUnionTypeNode([member.type, absent]);
  }
  return plainComments(astToString([...type.members])).replaceAll('components["schemas"]', 'Schemas');
}

function resourceFile(name, document, operations, inputs) {
  const called = className(name);
  const declared = operations.filter(({ id }) => followed[id] === undefined);
  const types = declared.map((operation) => inputText(operation, inputs.get(operation.id))).join('\n');
  const body = operations.map((operation) => methodText(operation, document)).join('\n\n');
  const uses = (text) => new RegExp(`\\b${text}\\b`).test(types + body);
  const imported = (names, from) => {
    const used = names.filter(uses);
    return used.length === 0 ? '' : `import type { ${used.join(', ')} } from '${from}';\n`;
  };
  return [
    imported(['Call'], '../../call.js'),
    `import type { ${['Bytes', 'CallOptions', 'FollowInput'].filter(uses).concat('Calls').join(', ')} } from '../../calls.js';\n`,
    imported(['FeedFrame', 'FeedInput'], '../../feed.js'),
    imported(['List'], '../../list.js'),
    imported(['FollowOptions'], '../../stream.js'),
    imported(['JournalFrame', 'Schemas'], '../../types.js'),
    `\n${types}\n`,
    `${comment([tagText(document, name)])}export class ${called} {\n  constructor(private readonly calls: Calls) {}\n\n${body}\n}\n`,
  ].join('');
}

function inputText(operation, members) {
  const told = comment([`The input of \`parley.${operation.resource}.${operation.name}\`.`]);
  const name = inputName(operation);
  return members === ''
    ? `${told}export type ${name} = Record<string, never>;\n`
    : `${told}export interface ${name} {\n${members}}\n`;
}

function methodText(entry, document) {
  const { id, name, method, path, input, operation } = entry;
  const doc = comment([operation.summary, operation.description, reasonsText(operation), `\`${method} ${path}\``]);
  if (followed[id] !== undefined) {
    const { call, input: given, frame, path: ids } = followed[id];
    const parameters = `input: ${given}${ids.length === 0 ? ' = {}' : ''}, options?: FollowOptions`;
    return `${doc}${name}(${parameters}): AsyncGenerator<${frame}, void> {\n  return this.calls.${call}(input, options);\n}`;
  }
  const { kind, type } = answerOf(entry, document);
  const optional = input.schema.required.length === 0 ? ' = {}' : '';
  const besidesBody = input.bodyAs === 'none' || input.query.length === 0 ? {} : { query: input.query };
  const bodyAs = input.bodyAs === 'bytes' || input.bodyAs === 'whole' ? { body: input.bodyAs } : {};
  const told = { id, method, path, ...besidesBody, ...bodyAs };
  const call = `this.calls.${kind}(${JSON.stringify(told)}, input, options)`;
  return `${doc}${name}(input: ${inputName(entry)}${optional}, options?: CallOptions): ${type} {\n  return ${call};\n}`;
}

/** Returns the kind of a call's answer, which is a method of `Calls`, and its type. */
function answerOf({ id, operation, input }, document) {
  const contents = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
  const [mediaType, content] = Object.entries(contents[0][1].content ?? {})[0] ?? [];
  if (mediaType === undefined) return { kind: 'nothing', type: 'Call<void>' };
  if (content.schema.format === 'binary') return { kind: 'bytes', type: 'Call<Uint8Array>' };
  const name = content.schema.$ref?.split('/').at(-1);
  if (mediaType !== 'application/json' || name === undefined) {
    throw new Error(`${id}: the client knows no answer of ${mediaType} that is no named schema`);
  }
  if (input.query.includes('cursor') && name.endsWith('Page'))
    return { kind: 'list', type: `List<${itemType(document, name)}, Schemas['${name}']>` };
  return { kind: 'value', type: `Call<Schemas['${name}']>` };
}

function itemType(document, page) {
  const items = document.components.schemas[page].properties.data.items.$ref;
  return items === undefined ? `Schemas['${page}']['data'][number]` : `Schemas['${items.split('/').at(-1)}']`;
}

function reasonsText(operation) {
  const reasons = ownReasons(operation).map((reason) => `\`${reason}\``);
  return reasons.length === 0 ? undefined : `Refused with ${reasons.join(', ')}.`;
}

function indexFile(groups, document) {
  const names = groups.map(([name]) => name);
  const imports = groups.map(([name, own]) => {
    const inputs = own
      .filter(({ id }) => followed[id] === undefined)
      .map((operation) => `type ${inputName(operation)}`);
    return `import { ${[className(name), ...inputs].join(', ')} } from './resources/${fileName(name)}.js';`;
  });
  const members = names.map((name) => `${comment([tagText(document, name)])}readonly ${name}: ${className(name)};`);
  const inputs = groups.flatMap(([, own]) =>
    own.map((operation) => `'${operation.id}': ${followed[operation.id]?.input ?? inputName(operation)};`),
  );
  return `import type { Calls, FollowInput } from '../calls.js';
import type { FeedInput } from '../feed.js';
${imports.join('\n')}

/** One member for each resource of the service, with one method for each of its operations. */
export interface Resources {
${members.join('\n')}
}

/** The input of each operation: \`Inputs['runs.start']\`. */
export interface Inputs {
${inputs.join('\n')}
}

export function resourcesOf(calls: Calls): Resources {
  return { ${names.map((name) => `${name}: new ${className(name)}(calls)`).join(', ')} };
}
`;
}

/** A documentation comment of these paragraphs; absent ones leave no gap. */
function comment(paragraphs) {
  const present = paragraphs.filter(Boolean).map((text) => text.replaceAll('*/', '*\\/'));
  if (present.length === 1) return `/** ${present[0]} */\n`;
  const lines = present.flatMap((text, at) => (at === 0 ? [text] : ['', text]));
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
