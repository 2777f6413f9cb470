import { operation, type OperationGroup, PageQuery } from '@app/http';
import { conversationIdParameter } from '@app/conversations';
import { text } from '@app/schema';
import { Artifact, artifactExample, ArtifactPage, UploadArtifactDto } from './artifact.schema';

export const artifactsGroup: OperationGroup = { name: 'artifacts', description: 'Files of a conversation' };

const contentHeaders = {
  'Content-Disposition': text({ description: 'The name of the file', examples: ['attachment; filename="report.csv"'] }),
  'Content-Security-Policy': text({
    description: 'For browsers, which open nothing',
    examples: ["default-src 'none'; sandbox"],
  }),
};

const artifactId = { description: 'An artifact of the conversation', example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e06' };

export const uploadArtifact = operation('artifacts.upload', {
  route: 'POST /v1/users/:userId/conversations/:conversationId/artifacts',
  status: 201,
  weight: 10,
  summary: 'Upload a file into a conversation',
  description:
    '`Content-Type` declares the media type (`application/octet-stream` when absent); the file is not parsed. Also answers 413 when ' +
    'the user has stored as many bytes as the deployment allows.',
  parameters: { conversationId: conversationIdParameter },
  query: UploadArtifactDto,
  body: { stream: 'The bytes of the file, at least one' },
  answer: Artifact,
  examples: { answer: artifactExample },
});

export const listArtifacts = operation('artifacts.list', {
  route: 'GET /v1/users/:userId/conversations/:conversationId/artifacts',
  summary: "A conversation's files, newest first",
  parameters: { conversationId: conversationIdParameter },
  query: PageQuery,
  answer: ArtifactPage,
  examples: { answer: { data: [artifactExample], nextCursor: null, total: 1 } },
});

export const getArtifact = operation('artifacts.get', {
  route: 'GET /v1/users/:userId/conversations/:conversationId/artifacts/:artifactId',
  summary: 'One file, without its bytes',
  parameters: { conversationId: conversationIdParameter, artifactId },
  answer: Artifact,
  examples: { answer: artifactExample },
});

export const readArtifactContent = operation('artifacts.content', {
  route: 'GET /v1/users/:userId/conversations/:conversationId/artifacts/:artifactId/content',
  summary: 'The bytes of a file',
  description:
    'With the declared media type, `nosniff`, and as an attachment, so that browsers open nothing. The bytes of an id never ' +
    'change: `ETag` is their SHA-256, for `If-None-Match`, and a download that broke off goes on with `Range`.',
  parameters: { conversationId: conversationIdParameter, artifactId },
  answer: { mediaType: '*/*', description: 'The bytes', binary: true },
  answerHeaders: contentHeaders,
  ranged: true,
});
