export { answerAgUi, type AgUiRequest } from './answer.js';
export { toAgUiEvents } from './follow.js';
export { answerOf, interruptOf, type Answer } from './interrupts.js';
export type { AgUiEvent } from './protocol.js';
export { encodeAgUiEvent } from './sse.js';
export { threadOf, type Step, type Thread, type ThreadOperation, type ThreadState } from './thread.js';
export { translate } from './translate.js';
