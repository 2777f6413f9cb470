export { watchAnswers } from './answers';
export { closed } from './closed-schema';
export { withoutAbsent } from './absent-members';
