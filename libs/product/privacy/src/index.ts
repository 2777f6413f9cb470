export { erasureStatuses } from './erasure.decider';
export { FindErasure, type ErasureProgress } from './erasure.queries';
export { erasureKind } from './erasure.stream';
export { privacyReadModel } from './erasures.projection';
export { PrivacyModule, PrivacyWorkModule } from './privacy.module';
export { RequestErasure } from './request-erasure';
