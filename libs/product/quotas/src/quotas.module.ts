import { Module } from '@nestjs/common';
import { UserQuotas } from './user-quotas';

/** The quotas of users, for the slices that create what is limited. */
@Module({ providers: [UserQuotas], exports: [UserQuotas] })
export class QuotasModule {}
