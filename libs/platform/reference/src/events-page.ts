import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { anchorOf } from './guides';
import { escapeHtml } from './html';

/** A reference in a document may lead to another one; a longer chain is an error in the document. */
const referencesMax = 16;

/** The page's data about one event. */
interface DescribedEvent {
  readonly type: string;
  readonly summary: string;
  readonly isLive: boolean;
  readonly payload: JsonObject;
  readonly example: JsonValue | undefined;
}

/** Renders the journal's events of an AsyncAPI 3 document as HTML: a section for each, with its members and an example. */
export function eventsBody(document: JsonObject): string {
  const events = eventsOf(document);
  const links = events.map(({ type }) => `<li><a href="#${anchorOf(type)}">${escapeHtml(type)}</a></li>`).join('');
  return `<div class="columns"><aside class="events" aria-label="Events"><ul>${links}</ul></aside>
<main class="prose"><h1>Events of the journal</h1>
<p>A conversation's journal is one ordered sequence of these events. <code>events.list</code> reads it in pages,
<code>conversations.stream</code> follows it; <a href="/docs/guides/streaming">how to resume without a gap</a>. The set is closed within
<code>/v1</code>. The same in machine-readable form: <a href="/asyncapi.json">asyncapi.json</a>.</p>
${events.map((event) => section(event, document)).join('\n')}</main></div>`;
}

function section({ type, summary, isLive, payload, example }: DescribedEvent, document: JsonObject): string {
  const live = isLive ? '<span class="live">live only</span>' : '';
  const shown = example === undefined ? '' : `<h3>Example</h3><pre tabindex="0"><code>${json(example)}</code></pre>`;
  return `<section><h2 id="${anchorOf(type)}"><code>${escapeHtml(type)}</code>${live}</h2>
<p>${inline(summary)}</p>
<div class="wide"><table><thead><tr><th>Member</th><th>Type</th><th>What it is</th></tr></thead>
<tbody>${rows(payload, document)}</tbody></table></div>
${shown}<details><summary>JSON Schema</summary><pre tabindex="0"><code>${json(payload)}</code></pre></details></section>`;
}

function rows(payload: JsonObject, document: JsonObject): string {
  const properties = objectOf(payload['properties']);
  const required = listOf(payload['required']);
  const lines = Object.entries(properties).map(([name, schema]) => {
    const may = required.includes(name) ? '' : ' (may be absent)';
    const words = objectOf(resolve(schema, document))['description'];
    return `<tr><td><code>${escapeHtml(name)}</code></td><td>${escapeHtml(typeOf(schema, document) + may)}</td><td>${inline(textOf(words))}</td></tr>`;
  });
  return lines.join('\n');
}

/** The type of a member in a few words. */
function typeOf(schema: JsonValue | undefined, document: JsonObject): string {
  const [, name] = /\/([^/]+)$/.exec(textOf(objectOf(schema)['$ref'])) ?? [];
  const { type, format, items, anyOf, oneOf, enum: values, ...rest } = objectOf(resolve(schema, document));
  if ('const' in rest) return JSON.stringify(rest['const']);
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(', ');
  const options = [...listOf(anyOf), ...listOf(oneOf)];
  if (options.length > 0) return name ?? options.map((option) => typeOf(option, document)).join(' or ');
  if (type === 'array') return `list of ${typeOf(items, document)}`;
  if (name !== undefined) return name;
  if (Array.isArray(type)) return type.join(' or ');
  return textOf(format) || textOf(type) || 'any JSON';
}

function eventsOf(document: JsonObject): readonly DescribedEvent[] {
  const messages = objectOf(objectOf(document['components'])['messages']);
  return Object.entries(messages).map(([key, message]) => {
    const { name, summary, description, payload, examples } = objectOf(resolve(message, document));
    const frame = objectOf(resolve(payload, document));
    const properties = membersOf(frame, document);
    const inner = objectOf(resolve(properties['payload'], document));
    const delivery = objectOf(resolve(properties['delivery'], document));
    return {
      type: textOf(name) || key,
      summary: textOf(description) || textOf(summary),
      isLive: delivery['const'] === 'live',
      payload: Object.keys(inner).length > 0 ? inner : frame,
      example: objectOf(listOf(examples)[0])['payload'],
    };
  });
}

/** The members of an object, including those of all parts of an `allOf`. */
function membersOf(schema: JsonObject, document: JsonObject): JsonObject {
  const parts = listOf(schema['allOf']).map((part) => objectOf(objectOf(resolve(part, document))['properties']));
  return parts.reduce((all, part) => ({ ...all, ...part }), objectOf(schema['properties']));
}

/** The value, or the target of its reference inside the document. */
function resolve(value: JsonValue | undefined, document: JsonObject): JsonValue | undefined {
  let found = value;
  for (let hop = 0; hop < referencesMax; hop += 1) {
    const pointer = objectOf(found)['$ref'];
    if (typeof pointer !== 'string' || !pointer.startsWith('#/')) return found;
    const steps = pointer.slice(2).split('/');
    found = steps.reduce<JsonValue | undefined>((place, step) => {
      return objectOf(place)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
    }, document);
  }
  throw new Error(`a reference of the document goes in circles: ${JSON.stringify(value)}`);
}

const objectOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});
function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  // Reason for the assertion: a list in JSON holds JSON, which `Array.isArray` does not infer.
  return Array.isArray(value) ? (value as JsonValue[]) : [];
}
const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const json = (value: JsonValue): string => escapeHtml(JSON.stringify(value, null, 2));
/** Escaped, with code in backticks. */
const inline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
