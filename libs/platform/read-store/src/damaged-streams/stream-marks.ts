import type { Database } from '../database/database';

/** Stored for a stream whose metadata hide nothing. */
const nothingHidden = '';

/** State of the stream watch: the position up to which it has read, and the streams that are damaged or whose metadata hide events. */
export class StreamMarks {
  constructor(private readonly database: Pick<Database, 'query'>) {}

  /** The position after which the watch continues; 0 for the beginning. Throws Unavailable. */
  async position(): Promise<number> {
    const [row] = await this.database.query<{ position: number }>('SELECT position FROM stream_watch');
    return row?.position ?? 0;
  }

  /** All marked streams, each with what its metadata hide in words; null for nothing. Throws Unavailable. */
  async all(): Promise<ReadonlyMap<string, string | null>> {
    const rows = await this.database.query<{ stream: string; words: string }>('SELECT stream, words FROM stream_marks');
    return new Map(rows.map(({ stream, words }) => [stream, words === nothingHidden ? null : words]));
  }

  /** Marks a stream. @param words what its metadata hide; null for nothing. Throws Unavailable. */
  async mark(stream: string, words: string | null): Promise<void> {
    await this.database.query(
      'INSERT INTO stream_marks (stream, words) VALUES ($1, $2) ON CONFLICT (stream) DO UPDATE SET words = excluded.words',
      [stream, words ?? nothingHidden],
    );
  }

  /** Removes the mark of a stream, if it has one. Throws Unavailable. */
  async remove(stream: string): Promise<void> {
    await this.database.query('DELETE FROM stream_marks WHERE stream = $1', [stream]);
  }

  /** Records that all changes up to this position are marked. Throws Unavailable. */
  async pass(position: number): Promise<void> {
    await this.database.query(
      `INSERT INTO stream_watch (position) VALUES ($1)
       ON CONFLICT (one) DO UPDATE SET position = greatest(stream_watch.position, excluded.position)`,
      [position],
    );
  }
}
