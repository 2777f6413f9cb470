/** Events of one stream that are stored but not shown to readers of the stream. */
export interface HiddenEvents {
  readonly stream: string;
  readonly first: number;
  readonly last: number;
  readonly why: 'tombstoned' | 'deleted' | 'truncated';
}
