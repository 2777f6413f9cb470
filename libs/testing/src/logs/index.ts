export { TestLog } from './test-log';
