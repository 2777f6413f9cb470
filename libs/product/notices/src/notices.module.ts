import { Module } from '@nestjs/common';
import { Notices } from './notices';

/** What partners are told, for whoever tells them. */
@Module({ providers: [Notices], exports: [Notices] })
export class NoticesModule {}
