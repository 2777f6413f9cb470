import { Module } from '@nestjs/common';
import { Notices } from './notices';

/** Notices for partners; webhooks and the feed import this module. */
@Module({ providers: [Notices], exports: [Notices] })
export class NoticesModule {}
