import { isJsonObject, type JsonValue } from '@app/kernel';
import { requestJson, type TestClient } from '@app/testing/client';
import { raw } from '@app/testing/journeys';
import type { MarkedWords } from '@app/testing/words';

/** `§` is replaced by a new word; the same letter behind it, within one template, for the same word. */
const wordPlace = /§([a-z]?)/g;

/** Schemas within themselves: a place in an inner one has the name that it has in the outer one. */
const nested: readonly (readonly [RegExp, string])[] = [
  [/\boutputSchema(\.(properties\.\*|items|additionalProperties|anyOf\[\]))+/, 'outputSchema'],
  [/\brule(\.(all\[\]|any\[\]|not))+/, 'rule'],
];

/** Writes as a user, with words in the places of templates, and notes which places took one. */
export class Writer {
  /** Places whose word was accepted, named as inputs are. */
  readonly accepted = new Set<string>();

  constructor(
    readonly user: TestClient,
    readonly words: MarkedWords,
  ) {}

  /** Returns a template with words in it. @param place `conversations.create body`; members are added */
  marked<Template extends JsonValue>(place: string, template: Template, places: string[] = []): Template {
    const known = new Map<string, string>();
    const fill = (text: string, at: string): string =>
      text.replaceAll(wordPlace, (_, letter: string) => {
        const name = nested.reduce((path, [inner, outer]) => path.replace(inner, outer), `${place} ${at}`.trimEnd());
        places.push(name);
        const word = known.get(letter) ?? this.words.word(name);
        if (letter !== '') known.set(letter, word);
        return word;
      });
    const walk = (value: JsonValue, at: string): JsonValue => {
      const below = (name: string) => (at === '' ? name : `${at}.${name}`);
      if (typeof value === 'string') return fill(value, at);
      if (Array.isArray(value)) return value.map((item: JsonValue) => walk(item, `${at}[]`));
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value).map(([name, member]) =>
          name.includes('§')
            ? [fill(name, below('<name>')), walk(member, below('*'))]
            : [name, walk(member, below(name))],
        ),
      );
    };
    // Reason for the assertion: only texts and names are replaced, by texts and names.
    return walk(template, '') as Template;
  }

  /** Sends a body made of a template, which must be accepted. Returns the answer's body. */
  async send(operation: string, method: string, path: string, template: JsonValue): Promise<Record<string, unknown>> {
    const places: string[] = [];
    const body = this.marked(`${operation} body`, template, places);
    // Reason for the assertion: the templates are objects.
    const answer = await this.user.request(method, path, body as object);
    if (answer.status >= 300) throw new Error(`${operation} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    for (const place of places) this.accepted.add(place);
    return answer.body;
  }

  /** Uploads a text file with a word in its name; returns its id. */
  async upload(conversationId: string, bytes: string): Promise<string> {
    const places: string[] = [];
    const { name } = this.marked('artifacts.upload query', { name: '§.txt' }, places);
    const path = `/conversations/${conversationId}/artifacts?name=${name}`;
    const answer = await raw(this.user, 'POST', path, { body: bytes, headers: { 'content-type': 'text/plain' } });
    if (answer.status !== 201) throw new Error(`the upload answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    for (const place of [...places, 'artifacts.upload body']) this.accepted.add(place);
    return String(answer.body['id']);
  }

  /** Sends a request with a query, and perhaps further headers, which must be accepted. */
  async get(
    operation: string,
    path: string,
    query: Readonly<Record<string, string>>,
  ): Promise<Record<string, unknown>> {
    const places: string[] = [];
    const filled = new URLSearchParams(this.marked(`${operation} query`, query, places));
    const answer = await requestJson('GET', this.user.url(`${path}?${filled}`), undefined, this.user.headers);
    if (answer.status !== 200) throw new Error(`${operation} answered ${answer.status}`);
    for (const place of places) this.accepted.add(place);
    return answer.body;
  }
}
