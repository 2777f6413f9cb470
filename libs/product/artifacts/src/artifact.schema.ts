import { Member } from '@app/http';
import { isErased, notFound, ok, refuse, type Result, type Sealed } from '@app/kernel';
import { countedPageOfShape, exactly, instant, integer, orErased, shape, text, uuid, type Shaped } from '@app/schema';
import type { ArtifactRow } from './artifacts.projection';
import { mediaTypeLengthMax } from './media-type';

/** Specification, "Artifacts": one segment of a path, and no dot file. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export class UploadArtifactDto {
  @Member(
    text({
      pattern: namePattern,
      message: 'must be a name of 1 to 128 letters, digits, ".", "_" and "-" that begins with a letter or a digit',
      description: 'What the file is called; the newest of a name is the one that is meant by it',
      examples: ['report.csv'],
    }),
  )
  name: string;
}

/** Members of an artifact that are a person's words. */
export const personalMembers = ['name', 'mediaType', 'sha256'] as const;
export type PersonalMember = (typeof personalMembers)[number];

type ArtifactMembers = Omit<ArtifactRow, 'position' | 'userId' | 'content' | PersonalMember> & {
  readonly [Member in PersonalMember]: Exclude<ArtifactRow[Member], Sealed>;
};

/** Artifact (docs/decisions/artifacts-and-activity.md). */
export const Artifact = exactly<ArtifactMembers>()(
  shape('Artifact', {
    id: uuid(),
    conversationId: uuid(),
    name: orErased(text({ pattern: namePattern, description: 'Need not be unique in its conversation' })),
    mediaType: orErased(text({ max: mediaTypeLengthMax, description: 'As the upload declared it' })),
    bytes: integer({ min: 1, description: 'How many it has' }),
    sha256: orErased(text({ pattern: /^[0-9a-f]{64}$/, description: 'Of the bytes, in hex' })),
    createdAt: instant(),
  }),
);
export type ArtifactView = Shaped<typeof Artifact>;

/** An artifact whose words are open, and whose bytes are therefore there. */
export type ArtifactFile = Omit<ArtifactView, PersonalMember> & { readonly [Member in PersonalMember]: string } & Pick<
    ArtifactRow,
    'content'
  >;

/** Returns the artifact if its bytes are there; refuses with `not_found` once they are erased. */
export function withContent(artifact: ArtifactView & Pick<ArtifactRow, 'content'>): Result<ArtifactFile> {
  const { name, mediaType, sha256 } = artifact;
  if (isErased(name) || isErased(mediaType) || isErased(sha256)) return refuse(notFound);
  return ok({ ...artifact, name, mediaType, sha256 });
}

export const ArtifactPage = countedPageOfShape('Artifact', Artifact);
export type ArtifactPage = Shaped<typeof ArtifactPage>;

/** A true example: the SHA-256 is that of the 15 bytes `rent,food`, a line break and `800,2`. */
export const artifactExample: ArtifactView = {
  id: '019a3c60-4a0c-7f9e-a1d2-6c5b8e7f3a09',
  conversationId: '019a3c5e-8f10-7a31-9c42-1b7d5e2f6a01',
  name: 'budget.csv',
  mediaType: 'text/csv',
  bytes: 15,
  sha256: 'c86066149fd3cf01ec7449cd3e91a293a620f963a8cf3d4a3b9087b3622ba83e',
  createdAt: '2026-11-21T09:17:00.337Z',
};
