export { answersVariable, beginAnswers, tellAnswers } from './answers-file';
