import { LRUCache } from 'lru-cache';
import type { ReadModelRow } from './projection';

/** What the rows may take up in all, as reckoned here. */
const bytesMax = 16_000_000;
/** Of an entry beside its row's text: the objects, the names, the cache's own part. */
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

  /** @param text the row as JSON, or nothing where there is no row */
  keep(table: string, key: string, row: ReadModelRow | null, text: string): void {
    const name = nameOf(table, key);
    this.rows.set(name, { row }, { size: entryBytes + characterBytes * (name.length + text.length) });
  }

  forget(): void {
    this.rows.clear();
  }
}

function nameOf(table: string, key: string): string {
  return `${table}/${key}`;
}
