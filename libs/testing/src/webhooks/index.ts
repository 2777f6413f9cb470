export { PartnerEndpoint } from './partner-endpoint';
