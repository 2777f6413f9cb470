import type { JsonValue } from '@app/kernel';

/** A document with one small change. */
export interface Altered {
  readonly what: string;
  readonly value: JsonValue;
}

/** Yields every small change of a document: of each value, each member, each item of a list. */
export function* alterations(value: JsonValue, path = ''): Generator<Altered> {
  for (const other of valuesBeside(value)) yield { what: `${path} set to ${JSON.stringify(other)}`, value: other };
  if (typeof value !== 'object' || value === null) return;
  if (isList(value)) {
    yield { what: `${path} has an item more`, value: [...value, value.at(-1) ?? 0] };
    for (const [index, item] of value.entries()) {
      yield { what: `${path}/${index} gone`, value: value.filter((_, at) => at !== index) };
      for (const { what, value: other } of alterations(item, `${path}/${index}`))
        yield { what, value: value.with(index, other) };
    }
    return;
  }
  yield { what: `${path} has a member more`, value: { ...value, other: null } };
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _gone, ...others } = value;
    yield { what: `${path}/${name} gone`, value: others };
    for (const { what, value: other } of alterations(member, `${path}/${name}`))
      yield { what, value: { ...value, [name]: other } };
  }
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function valuesBeside(value: JsonValue): JsonValue[] {
  if (typeof value === 'string') {
    const places = [0, Math.floor(value.length / 2), value.length - 1].filter((place) => place >= 0);
    const other = (place: number) => (value[place] === 'a' ? 'b' : 'a');
    const flipped = places.map((place) => value.slice(0, place) + other(place) + value.slice(place + 1));
    return [...flipped, `${value} `, ...(value === '' ? [] : ['']), null];
  }
  if (typeof value === 'number') return [value + 1, -value - 1, String(value), null];
  return value === null ? ['', 0, false, {}] : [null];
}
