import { instant, shape, text, uuid, type Shaped } from '@app/schema';

const subjectLengthMax = 512;

/** User, as the specification shapes it. */
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
