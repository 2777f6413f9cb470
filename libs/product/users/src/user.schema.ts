import { instant, shape, text, uuid, type Shaped } from '@app/schema';

const subjectLengthMax = 512;

/** User, in the shape of the specification. */
export const User = shape('User', {
  userId: uuid({ description: 'The account, which every other path starts from' }),
  subject: text({
    min: 1,
    max: subjectLengthMax,
    description: 'Of the verified identity, as its login provider names it',
  }),
  expiresAt: instant({ description: 'When the credential of this very request expires' }),
});

export type UserView = Shaped<typeof User>;
