export { modelRequest, withoutEnd } from './model-request';
