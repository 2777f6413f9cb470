import { Module } from '@nestjs/common';
import { ReferenceController } from './reference.controller';
import { ReferenceSite } from './reference-site';

/** `GET /docs`, for processes that serve HTTP. */
@Module({ controllers: [ReferenceController], providers: [ReferenceSite] })
export class ReferenceModule {}
