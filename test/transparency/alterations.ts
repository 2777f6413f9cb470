/** Alterations of stored events as made by an attacker who can write to the store and wants to hide it: one byte, one event, one place. */
import { randomUUID } from 'node:crypto';
import type { StoredBytes } from '@app/audit';
import { unreachable } from '@app/kernel';

export const alterationKinds = ['data', 'metadata', 'type', 'id', 'stream', 'order', 'removal', 'insertion'] as const;
export type AlterationKind = (typeof alterationKinds)[number];

/** An alteration, and the indexes of its events among those that the log covers. */
export interface Alteration {
  readonly kind: AlterationKind;
  readonly index: number;
  /** Index of the other event whose place is taken, or of the altered byte. */
  readonly other: number;
  /** The altered event, or the inserted one. */
  readonly event: StoredBytes;
}

/** The findings that must be reported, and no others. */
export interface ReportedProblem {
  readonly says: RegExp;
  /** Each as `revision stream`. At least one of them must be reported, or all of them if `all`. */
  readonly events: readonly string[];
  readonly all: boolean;
}

const letters = 'abcdefghijklmnopqrstuvwxyz';
const digits = '0123456789abcdef';
export const nameOf = ({ stream, revision }: Pick<StoredBytes, 'stream' | 'revision'>): string =>
  `${revision} ${stream}`;

/** @param random numbers from 0 to 1 */
export function alterationOf(kind: AlterationKind, events: readonly StoredBytes[], random: () => number): Alteration {
  const below = (count: number): number => Math.floor(random() * count);
  const index = below(events.length);
  const event = at(events, index);
  if (kind === 'order') {
    // Half of them swap with the next event.
    const step = random() < 0.5 ? 1 : 1 + below(events.length - 1);
    return { kind, index, other: (index + step) % events.length, event };
  }
  if (kind === 'insertion')
    return { kind, index, other: 0, event: { ...event, revision: 1_000_000 + below(1_000), id: randomUUID() } };
  return { kind, index, ...changed(kind, event, below) };
}

function changed(
  kind: AlterationKind,
  event: StoredBytes,
  below: (count: number) => number,
): Pick<Alteration, 'event' | 'other'> {
  if (kind === 'data' || kind === 'metadata') {
    const bytes = Buffer.from(event[kind]);
    const other = below(bytes.length);
    bytes[other] = ((bytes[other] ?? 0) + 1 + below(255)) % 256;
    return { other, event: { ...event, [kind]: bytes } };
  }
  if (kind === 'id') {
    const places = [...event.id].flatMap((letter, place) => (letter === '-' ? [] : [place]));
    const other = places[below(places.length)] ?? 0;
    return { other, event: { ...event, id: replaced(event.id, other, digits, below) } };
  }
  if (kind === 'type' || kind === 'stream') {
    const other = below(event[kind].length);
    return { other, event: { ...event, [kind]: replaced(event[kind], other, letters, below) } };
  }
  return { other: 0, event };
}

/** The text with another letter at this place. */
function replaced(text: string, place: number, alphabet: string, below: (count: number) => number): string {
  const others = [...alphabet].filter((letter) => letter !== text[place]);
  return text.slice(0, place) + (others[below(others.length)] ?? '') + text.slice(place + 1);
}

/** The altered events; each keeps the position of its place. */
export function altered(events: readonly StoredBytes[], { kind, index, other, event }: Alteration): StoredBytes[] {
  if (kind === 'removal') return events.toSpliced(index, 1);
  if (kind === 'insertion') return events.toSpliced(index, 0, { ...event, position: event.position - 0.5 });
  if (kind !== 'order') return events.with(index, event);
  const [one, two] = [at(events, index), at(events, other)];
  return events.with(index, { ...two, position: one.position }).with(other, { ...one, position: two.position });
}

export function toldOf(events: readonly StoredBytes[], { kind, index, other, event }: Alteration): ReportedProblem {
  const names = [nameOf(at(events, index))];
  switch (kind) {
    case 'insertion':
      return { says: /^added$/, events: [nameOf(event)], all: true };
    case 'removal':
      return { says: /^removed$/, events: names, all: true };
    case 'order': {
      // If two neighbours are swapped, either may be reported as moved.
      const all = Math.abs(index - other) > 1;
      return { says: /^moved to another place/, events: [...names, nameOf(at(events, other))], all };
    }
    case 'stream':
      return { says: new RegExp(`^moved to revision ${event.revision} of ${event.stream}$`), events: names, all: true };
    case 'data':
    case 'metadata':
    case 'type':
    case 'id':
      return { says: new RegExp(`^${kind} altered$`), events: names, all: true };
    default:
      return unreachable(kind);
  }
}

function at(events: readonly StoredBytes[], index: number): StoredBytes {
  const event = events[index];
  if (event === undefined) throw new RangeError(`there is no event ${index}`);
  return event;
}

const columns = { data: 'data', metadata: 'metadata', type: 'type', id: 'event_id', stream: 'stream' } as const;

/** The statements that make the alteration in the rows of the embedded event store. */
export function statementsOf(
  events: readonly StoredBytes[],
  { kind, index, other, event }: Alteration,
): readonly { readonly text: string; readonly values: readonly unknown[] }[] {
  const { position } = at(events, index);
  const move = (from: number, to: number) => ({
    text: 'UPDATE event_store.events SET global_position = $2 WHERE global_position = $1',
    values: [from, to],
  });
  switch (kind) {
    case 'removal':
      return [{ text: 'DELETE FROM event_store.events WHERE global_position = $1', values: [position] }];
    case 'order': {
      const there = at(events, other).position;
      return [move(position, 0), move(there, position), move(0, there)];
    }
    case 'insertion':
      return insertion(event);
    case 'data':
    case 'metadata':
    case 'type':
    case 'id':
    case 'stream':
      return [
        {
          text: `UPDATE event_store.events SET ${columns[kind]} = $2 WHERE global_position = $1`,
          values: [position, event[kind]],
        },
      ];
    default:
      return unreachable(kind);
  }
}

/** Makes room for the event by moving all later ones far from where the store appends in the meantime. */
function insertion({ stream, revision, id, type, data, metadata, position }: StoredBytes) {
  const far = 1_000_000_000;
  return [
    {
      text: 'UPDATE event_store.events SET global_position = global_position + $2 WHERE global_position >= $1',
      values: [position, far],
    },
    {
      text: `INSERT INTO event_store.events (global_position, stream, revision, event_id, type, is_json, data, metadata, created_ms)
             VALUES ($1, $2, $3, $4, $5, true, $6, $7, 0)`,
      values: [position, stream, revision, id, type, data, metadata],
    },
  ];
}
