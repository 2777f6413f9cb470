export { modelRequest } from './model-request';
