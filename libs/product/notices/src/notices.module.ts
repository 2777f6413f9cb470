import { Module } from '@nestjs/common';
import { Notices } from './notices';

/** What partners are told: webhooks and the feed import it. */
@Module({ providers: [Notices], exports: [Notices] })
export class NoticesModule {}
