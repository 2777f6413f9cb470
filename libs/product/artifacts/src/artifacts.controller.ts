import { Body, Controller, Headers, Param, Query, Res } from '@nestjs/common';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { answer, askedBytes, Caller, Cursors, pageOf, PageQuery, ProblemException, Serves } from '@app/http';
import { notFound, refuse, type ArtifactId, type ConversationId, type UserId } from '@app/kernel';
import type { FastifyReply } from 'fastify';
import { Readable } from 'node:stream';
import { ArtifactPage, type ArtifactView } from './artifact.schema';
import { ArtifactStore } from './artifact-store';
import { UploadArtifactDto } from './artifacts.dto';
import { ArtifactQueries } from './artifacts.queries';
import { declaredMediaType } from './media-type';
import { UploadArtifact } from './upload-artifact';
import { uploadArtifact, listArtifacts, getArtifact, readArtifactContent } from './artifacts.contract';

/** Artifacts (specification, "Artifacts"; docs/decisions/artifacts-and-activity.md). */
@Controller()
export class ArtifactsController {
  constructor(
    private readonly uploads: UploadArtifact,
    private readonly queries: ArtifactQueries,
    private readonly states: FoldedStates,
    private readonly store: ArtifactStore,
    private readonly cursors: Cursors,
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
    return answer(await this.uploads.upload({ userId, conversationId, name, mediaType, declaredBytes, body, cause }));
  }

  @Serves(listArtifacts)
  async list(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Query() { cursor, limit }: PageQuery,
  ): Promise<ArtifactPage> {
    const binding = { list: 'artifacts.list', userId, filters: { conversationId } };
    const before = cursor === undefined ? null : Number(answer(this.cursors.read(binding, cursor))[0]);
    await this.ownConversation(userId, conversationId);
    const [rows, total] = await Promise.all([
      this.queries.list(conversationId, before, limit + 1),
      this.queries.total(conversationId),
    ]);
    const page = pageOf(
      rows,
      limit,
      ({ position: _, ...artifact }) => artifact,
      ({ position }) => this.cursors.mint(binding, [position]),
    );
    return { ...page, total };
  }

  @Serves(getArtifact)
  async get(
    @Caller() { userId }: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Param('artifactId') id: ArtifactId,
  ): Promise<ArtifactView> {
    await this.ownConversation(userId, conversationId);
    return (await this.queries.find(conversationId, id)) ?? answer(refuse(notFound));
  }

  /** What a user declared is told to browsers as it is, so they are told as well to keep it and to open nothing. */
  @Serves(readArtifactContent)
  async content(
    @Caller() caller: Caller,
    @Param('conversationId') conversationId: ConversationId,
    @Param('artifactId') id: ArtifactId,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable | null> {
    const { name, mediaType, bytes, sha256 } = await this.get(caller, conversationId, id);
    const { method, headers } = reply.request;
    const asked = askedBytes(method, headers, `"${sha256}"`, bytes);
    if (asked.kind === 'outside')
      throw new ProblemException(
        { kind: 'bare', problem: 'range_not_satisfiable' },
        { 'content-range': `bytes */${bytes}` },
      );
    const range = asked.kind === 'part' ? asked.range : undefined;
    // HEAD is answered without the bytes, which need not be fetched then; nor need those that the caller has.
    const isWithout = method === 'HEAD' || asked.kind === 'unchanged';
    const content = isWithout ? Readable.from([]) : await this.store.get(sha256, { range });
    if (content === null) throw new Error(`the store has no bytes of artifact ${id}`);
    // Not before the bytes are there: what is refused is no file.
    reply.headers({
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
      'content-disposition': `attachment; filename="${name}"`,
      'content-security-policy': "default-src 'none'; sandbox",
    });
    if (asked.kind === 'unchanged') {
      void reply.code(304);
      return null;
    }
    if (range !== undefined) {
      void reply.code(206);
      reply.header('content-range', `bytes ${range.from}-${range.to}/${bytes}`);
    }
    reply.headers({
      'content-type': mediaType,
      'content-length': range === undefined ? bytes : range.to - range.from + 1,
    });
    return content;
  }

  /** An archived conversation stays readable. @throws ProblemException for one that is not the user's */
  private async ownConversation(userId: UserId, id: ConversationId): Promise<void> {
    const { state } = await this.states.current(conversationKind, id);
    if (state.userId !== userId) answer(refuse(notFound));
  }
}
