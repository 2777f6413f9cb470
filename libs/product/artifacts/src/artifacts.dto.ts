import { Member } from '@app/http';
import { text } from '@app/schema';

/** Specification, "Artifacts": one segment of a path, and no dot file. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

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
