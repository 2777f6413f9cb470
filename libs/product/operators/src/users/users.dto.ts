import { amountCentsMax } from '@app/budget';
import { Member, PageQuery } from '@app/http';
import { integer, text } from '@app/schema';
import { ChangeReason } from '../changes/operators.dto';

const cents = { min: 0, max: amountCentsMax };

/** Enough for the longest issuers and subjects. */
const searchLengthMax = 1_024;

export class SearchUsersDto extends PageQuery {
  @Member(
    text({
      min: 1,
      max: searchLengthMax,
      description: 'A user id; an id of anything that a user has; or an issuer and a subject, with a space between',
      examples: ['https://login.example user-4711'],
    }),
  )
  readonly q: string;
}

export class SetCapsDto extends ChangeReason {
  @Member(integer({ ...cents, description: 'What the user may spend in a UTC day, in cents' }))
  readonly dayCents: number;

  @Member(integer({ ...cents, description: 'What the user may spend in a UTC month, in cents' }))
  readonly monthCents: number;
}
