import { bytesOf, RowCache } from '../read-models/row-cache';
import type { ReadModelRow } from '../read-models/projection';
import type { BatchChanges, ChangedRow } from '../read-models/projection-batch';

/** Maximum estimated bytes of written rows that are cached, so that they need not be selected. */
const knownBytesMax = 64_000_000;

interface Unwritten extends ChangedRow {
  /** Estimated size. */
  readonly bytes: number;
}

/** Rows of tables that are being built: all unwritten changes, and the most recently used of the written rows. */
export class BuildingRows extends RowCache {
  private readonly waiting = new Map<string, Map<string, Unwritten>>();
  /** Estimated size of the unwritten rows. */
  unwrittenBytes = 0;

  constructor() {
    super(knownBytesMax);
  }

  override get(table: string, key: string): ReadModelRow | null | undefined {
    return this.waiting.get(table)?.get(key)?.row ?? super.get(table, key);
  }

  take({ readModel: { table }, rows }: BatchChanges): void {
    const waiting = this.waiting.get(table) ?? new Map<string, Unwritten>();
    this.waiting.set(table, waiting);
    for (const { key, row, before } of rows) {
      const [earlier, bytes] = [waiting.get(key), bytesOf(row)];
      waiting.set(key, { key, row, before: earlier === undefined ? before : earlier.before, bytes });
      this.unwrittenBytes += bytes - (earlier?.bytes ?? 0);
    }
  }

  /** Unwritten rows of a table: each as it is now, and as it was when it was last written. */
  unwritten(table: string): readonly ChangedRow[] {
    return [...(this.waiting.get(table)?.values() ?? [])];
  }

  /** Marks all rows of the table as written, or as no longer needed. */
  settle(table: string): void {
    for (const { key, row, bytes } of this.waiting.get(table)?.values() ?? []) {
      this.unwrittenBytes -= bytes;
      this.set(table, key, row);
    }
    this.waiting.delete(table);
  }
}
