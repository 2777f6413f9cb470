export { type Manner, PartnerEndpoint } from './partner-endpoint';
