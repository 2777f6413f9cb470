import { CursorText, Describe, IntegerText, Optional, Value } from '@app/http';
import { limits } from '@app/kernel';
import { text } from '@app/schema';

/** Specification, "Artifacts": one segment of a path, and no dot file. */
export const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const demandedName = 'a name of 1 to 128 letters, digits, ".", "_" and "-" that begins with a letter or a digit';

export class UploadArtifactDto {
  @Describe('What the file is called; the newest of a name is the one that is meant by it')
  @Value(
    demandedName,
    (value) => typeof value === 'string' && namePattern.test(value),
    text({ pattern: namePattern, examples: ['report.csv'] }),
  )
  name: string;
}

export class ListArtifactsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('How many at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;
}
