import { bytesOf, KnownRows } from './known-rows';
import type { ReadModelRow } from './projection';
import type { BatchChanges, ChangedRow } from './projection-batch';

/** What rows may take up that are written, and need not be selected as long as they are kept. */
const knownBytesMax = 64_000_000;

interface Unwritten extends ChangedRow {
  /** What it takes up, as reckoned here. */
  readonly bytes: number;
}

/** Rows of tables that are being built: all that changed since they were written, and of the others those that were used last. */
export class BuildingRows extends KnownRows {
  private readonly waiting = new Map<string, Map<string, Unwritten>>();
  /** What the unwritten rows take up, as reckoned here. */
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

  /** What is to be written of a table: its rows as they are now, beside what they were when they were written last. */
  unwritten(table: string): readonly ChangedRow[] {
    return [...(this.waiting.get(table)?.values() ?? [])];
  }

  /** All that was unwritten of the table is written, or of no use any more. */
  settle(table: string): void {
    for (const { key, row, bytes } of this.waiting.get(table)?.values() ?? []) {
      this.unwrittenBytes -= bytes;
      this.keep(table, key, row);
    }
    this.waiting.delete(table);
  }
}
