import { LRUCache } from 'lru-cache';
import type { ReadModelRow } from './projection';

/** Maximum estimated size of all cached rows. */
const bytesMax = 16_000_000;
/** Estimated overhead per entry, on top of the row's texts: objects, names, the cache's own part. */
const entryBytes = 500;
/** Bytes of one character in a JavaScript string, at worst. */
const characterBytes = 2;

/**
 * Cache of rows as the projector wrote them, so that it need not select what it wrote a moment ago. The rows are valid as long as no other
 * process writes these tables: the projector clears the cache when it begins to lead and when a batch fails. A batch computed from stale
 * rows fails, because the positions of its tables no longer match.
 */
export class RowCache {
  private readonly rows: LRUCache<string, { readonly row: ReadModelRow | null }>;

  constructor(maxSize = bytesMax) {
    this.rows = new LRUCache({ maxSize });
  }

  /** Returns the row; null if it does not exist; undefined if that is unknown. */
  get(table: string, key: string): ReadModelRow | null | undefined {
    return this.rows.get(nameOf(table, key))?.row;
  }

  /** @param row null if it does not exist */
  set(table: string, key: string, row: ReadModelRow | null): void {
    const name = nameOf(table, key);
    const size = characterBytes * name.length + (row === null ? entryBytes : bytesOf(row));
    this.rows.set(name, { row }, { size });
  }

  clear(): void {
    this.rows.clear();
  }
}

/** Estimated memory of a row, at most. */
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
