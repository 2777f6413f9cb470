import { resumedAs } from '@app/audit';
import { Member } from '@app/http';
import { boolean, oneOf, optional } from '@app/schema';
import { ChangeReason } from '../changes/operators.dto';

export class ResumeLogDto extends ChangeReason {
  @Member(
    oneOf(resumedAs, {
      description:
        '`copy`: the other one lives on, and this one gets a name of its own; `successor`: the other one is gone for good',
    }),
  )
  readonly as: (typeof resumedAs)[number];

  @Member(
    optional(
      boolean({
        description: 'Go on as a successor although a witness has seen more than there is here, or another tree',
      }),
    ),
  )
  readonly despiteWitnesses?: boolean;
}
