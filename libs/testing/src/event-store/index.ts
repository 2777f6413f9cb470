export { EmbeddedStore, impatient, LossyProxy, patient, until } from './embedded-stores';
