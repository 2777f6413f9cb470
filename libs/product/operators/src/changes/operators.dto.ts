import { Member } from '@app/http';
import { text } from '@app/schema';

const reasonLengthMax = 500;

/** The body of a change that needs only a reason. */
export class ChangeReason {
  @Member(
    text({
      min: 1,
      max: reasonLengthMax,
      visible: true,
      description: 'Why; it is kept in the log and in the events that follow',
    }),
  )
  readonly reason: string;
}
