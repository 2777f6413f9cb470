export { applyBatch, emptyReadModel } from './apply-batch';
