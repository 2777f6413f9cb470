import { Member } from '@app/http';
import { boolean, optional, text } from '@app/schema';
import { ChangeReason } from './operators.dto';

const labelLengthMax = 100;

export class MintKeyDto extends ChangeReason {
  @Member(text({ min: 1, max: labelLengthMax, description: 'What operators know the key by' }))
  readonly label: string;

  @Member(
    optional(boolean({ description: 'Whether it may read the feed: what all users of the deployment are told of' })),
  )
  readonly feed?: boolean;
}
