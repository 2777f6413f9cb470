export { QuotasModule } from './quotas.module';
export { UserQuotas } from './user-quotas';
