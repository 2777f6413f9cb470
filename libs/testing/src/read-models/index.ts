export { applyBatch } from './apply-batch';
