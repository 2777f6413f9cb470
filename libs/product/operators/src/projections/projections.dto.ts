import { Member } from '@app/http';
import type { RebuildPace } from '@app/read-store';
import { integer, optional, text } from '@app/schema';
import { ChangeReason } from '../changes/operators.dto';
import { projectionsExamples, rebuildPace } from './projections.schema';

/** Names of streams, a category and an id, are shorter. */
const streamLengthMax = 200;

export class SwitchDto extends ChangeReason {
  @Member(
    optional(
      text({
        pattern: /^[0-9a-f]{64}$/,
        message: 'must be the digest of the differences: 64 hexadecimal digits',
        description: 'That of the differences which you have seen; needed where there are any',
        examples: [projectionsExamples.digest],
      }),
    ),
  )
  readonly digest?: string;
}

export class StartRebuildDto extends ChangeReason {
  @Member(optional(rebuildPace))
  readonly pace?: RebuildPace;
}

export class SkipDto extends ChangeReason {
  @Member(
    text({ min: 1, max: streamLengthMax, description: 'The stream of the event at which the read model has stopped' }),
  )
  readonly stream: string;

  @Member(integer({ min: 0, max: Number.MAX_SAFE_INTEGER, description: 'The revision of that event' }))
  readonly revision: number;
}
