import { Body, Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Caller, PageQuery, Serves } from '@app/http';
import type { ArtifactId, ConversationId } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import type { Readable } from 'node:stream';
import { ArtifactContent } from './artifact-content';
import { UploadArtifactDto, type ArtifactPage, type ArtifactView } from './artifact.schema';
import { FindArtifactFile, FindArtifactFileHandler, GetArtifact, GetArtifactHandler } from './find-artifacts';
import { ListArtifacts, ListArtifactsHandler } from './find-artifacts';
import { declaredMediaType } from './media-type';
import { UploadArtifact, UploadArtifactHandler } from './upload-artifact';
import { uploadArtifact, listArtifacts, getArtifact, readArtifactContent } from './artifacts.contract';

/** Artifacts (specification, "Artifacts"; docs/decisions/artifacts-and-activity.md). */
@Controller()
export class ArtifactsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly contents: ArtifactContent,
  ) {}

  @Serves(uploadArtifact)
  async upload(
    @Caller() { userId, cause }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Query() { name }: UploadArtifactDto,
    @Headers('content-type') contentType: string | undefined,
    @Headers('content-length') contentLength: string | undefined,
    @Body() body: AsyncIterable<Buffer>,
  ): Promise<ArtifactView> {
    const mediaType = answer(declaredMediaType(contentType));
    const declaredBytes = contentLength === undefined ? null : Number(contentLength);
    const upload = { userId, conversationId, name, mediaType, declaredBytes, body, cause };
    return answer(await this.commands.execute(new UploadArtifact(upload)));
  }

  @Serves(listArtifacts)
  async list(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Query() page: PageQuery,
  ): Promise<ArtifactPage> {
    return answer(await this.queries.execute(new ListArtifacts(userId, conversationId, page)));
  }

  @Serves(getArtifact)
  async get(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Param('artifactId') id: ArtifactId,
  ): Promise<ArtifactView> {
    return answer(await this.queries.execute(new GetArtifact(userId, conversationId, id)));
  }

  @Serves(readArtifactContent)
  async content(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Param('artifactId') id: ArtifactId,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | null> {
    const file = answer(await this.queries.execute(new FindArtifactFile(userId, conversationId, id)));
    return this.contents.open(file, reply);
  }
}

/** The handlers of the commands and queries that it executes. */
export const artifactsHandlers = [
  FindArtifactFileHandler,
  GetArtifactHandler,
  ListArtifactsHandler,
  UploadArtifactHandler,
];
