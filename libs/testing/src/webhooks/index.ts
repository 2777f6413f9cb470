export { PartnerEndpoint } from './partner-endpoint';
export { ToldJournal } from './told-journal';
