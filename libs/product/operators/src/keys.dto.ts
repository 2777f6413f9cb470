import { Member } from '@app/http';
import { text } from '@app/schema';
import { ChangeReason } from './operators.dto';

const labelLengthMax = 100;

export class MintKeyDto extends ChangeReason {
  @Member(text({ min: 1, max: labelLengthMax, description: 'What operators know the key by' }))
  readonly label: string;
}
