import { LRUCache } from 'lru-cache';
import type { ReadModelRow } from './projection';

/** What the rows may take up in all, as reckoned here. */
const bytesMax = 16_000_000;
/** Of an entry beside its row's texts: the objects, the names, the cache's own part. */
const entryBytes = 500;
/** Of a character, in a string of the engine at worst. */
const characterBytes = 2;

/**
 * Rows as the projector left them in the tables, so that it need not select what it wrote a moment ago. They hold as long as no other
 * process writes these tables: the projector forgets all when it begins to lead, when a batch fails, and with it when the tables
 * are not where it left them; and a batch that was made of rows which were not so any more fails by the places of its tables.
 */
export class KnownRows {
  private readonly rows: LRUCache<string, { readonly row: ReadModelRow | null }>;

  constructor(maxSize = bytesMax) {
    this.rows = new LRUCache({ maxSize });
  }

  /** The row; null where there is none; undefined where that is not known. */
  get(table: string, key: string): ReadModelRow | null | undefined {
    return this.rows.get(nameOf(table, key))?.row;
  }

  /** @param row null where there is none */
  keep(table: string, key: string, row: ReadModelRow | null): void {
    const name = nameOf(table, key);
    const size = characterBytes * name.length + (row === null ? entryBytes : bytesOf(row));
    this.rows.set(name, { row }, { size });
  }

  forget(): void {
    this.rows.clear();
  }
}

/** What a row takes up in memory, at most. */
export function bytesOf(row: ReadModelRow): number {
  let characters = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') characters += value.length;
    else if (typeof value === 'object' && value !== null) characters += JSON.stringify(value).length;
  }
  return entryBytes + characterBytes * characters;
}

function nameOf(table: string, key: string): string {
  return `${table}/${key}`;
}
