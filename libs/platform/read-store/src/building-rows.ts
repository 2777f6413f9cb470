import { KnownRows } from './known-rows';
import type { ReadModelRow } from './projection';
import type { BatchChanges, ChangedRow } from './projection-batch';

/** What rows may take up that are written, and need not be selected as long as they are kept. */
const knownBytesMax = 64_000_000;
/** Of a row beside its text, and of each character. */
const rowBytes = 500;
const characterBytes = 2;

/** What is to be written of a table. */
export interface Unwritten {
  readonly rows: readonly ChangedRow[];
  readonly counters: ReadonlyMap<string, number>;
}

interface Waiting {
  readonly rows: Map<string, ChangedRow>;
  readonly counters: Map<string, number>;
}

/** Rows of tables that are being built: all that changed since they were written, and of the others those that were used last. */
export class BuildingRows extends KnownRows {
  private readonly waiting = new Map<string, Waiting>();
  /** What the unwritten rows take up, as reckoned here. */
  unwrittenBytes = 0;

  constructor() {
    super(knownBytesMax);
  }

  override get(table: string, key: string): ReadModelRow | null | undefined {
    return this.waiting.get(table)?.rows.get(key)?.row ?? super.get(table, key);
  }

  take({ readModel: { table }, rows, counters }: BatchChanges): void {
    const waiting = this.waiting.get(table) ?? {
      rows: new Map<string, ChangedRow>(),
      counters: new Map<string, number>(),
    };
    this.waiting.set(table, waiting);
    for (const row of rows) {
      const before = waiting.rows.get(row.key);
      waiting.rows.set(row.key, { ...row, isNew: before?.isNew ?? row.isNew });
      this.unwrittenBytes += bytesOf(row) - (before === undefined ? 0 : bytesOf(before));
    }
    for (const [name, by] of counters) waiting.counters.set(name, (waiting.counters.get(name) ?? 0) + by);
  }

  unwritten(table: string): Unwritten {
    const { rows, counters } = this.waiting.get(table) ?? { rows: new Map<string, ChangedRow>(), counters: new Map() };
    return { rows: [...rows.values()], counters };
  }

  /** All that was unwritten of the table is written, or of no use any more. */
  settle(table: string): void {
    const { rows } = this.unwritten(table);
    this.waiting.delete(table);
    for (const row of rows) {
      this.unwrittenBytes -= bytesOf(row);
      this.keep(table, row.key, row.row, row.text);
    }
  }
}

function bytesOf({ key, text }: ChangedRow): number {
  return rowBytes + characterBytes * (key.length + text.length);
}
