export { exportedCategories } from './export/exported-kinds';
export { ExportUser } from './export/export-user';
export { erasureStatuses } from './erasure.decider';
export { FindErasure, type ErasureProgress } from './erasure.queries';
export { erasureKind } from './erasure.stream';
export { privacyReadModel } from './erasures.projection';
export { ExportModule, PrivacyModule, PrivacyWorkModule } from './privacy.module';
export { retentionKind } from './retention.stream';
export { RequestErasure } from './request-erasure';
