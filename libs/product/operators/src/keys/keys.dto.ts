import { cursor, Member } from '@app/http';
import { boolean, optional, text } from '@app/schema';
import { ChangeReason } from '../changes/operators.dto';

const labelLengthMax = 100;

export class MintKeyDto extends ChangeReason {
  @Member(text({ min: 1, max: labelLengthMax, visible: true, description: 'What operators know the key by' }))
  readonly label: string;

  @Member(optional(boolean({ description: 'Whether it may read the feed: the events of all users of the deployment' })))
  readonly feed?: boolean;
}

export class FindKeyDto {
  @Member(
    text({
      pattern: /^[0-9a-f]{64}$/,
      description: 'The lower-case hex SHA-256 of the key: the key itself is sent nowhere',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  )
  readonly keySha256: string;
}

export class ShowKeyUseDto {
  @Member(cursor('The `nextCursor` of the answer before'))
  readonly cursor?: string;
}
