/** Events of one stream that are stored, and are not shown to whoever reads the stream. */
export interface HiddenEvents {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  readonly why: 'tombstoned' | 'deleted' | 'truncated';
}
