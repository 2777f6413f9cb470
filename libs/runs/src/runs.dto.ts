import { CursorText, IntegerText, Items, Nested, Optional, text, Text, Uuid, UuidList, Value, Whole } from '@app/http';
import { limits } from '@app/kernel';
import { isOutputSchema } from './output-schema';

class InputDto {
  @Text({ min: 1, max: limits.inputTextLengthMax })
  text: string;

  @Optional()
  @UuidList({ max: limits.artifactIdsMax })
  artifactIds?: string[];
}

export class ProfileDto {
  @Optional()
  @Text({ min: 1, max: 256 })
  model?: string;

  @Optional()
  @Text({ max: limits.instructionsLengthMax })
  instructions?: string;

  @Optional()
  @Items({
    max: limits.profileToolsMax,
    of: (item) => typeof item === 'string',
    what: 'the name of a tool',
    schema: text(),
  })
  tools?: string[];

  @Optional()
  @Whole({ min: 1, max: limits.maxStepsMax })
  maxSteps?: number;

  @Optional()
  @Value('a JSON Schema of the supported keywords, at most 16 KiB', isOutputSchema, { type: 'object' })
  outputSchema?: object;
}

export class StartRunDto {
  @Uuid()
  conversationId: string;

  @Optional()
  @Uuid()
  runId?: string;

  @Nested(() => InputDto)
  input: InputDto;

  @Optional()
  @Nested(() => ProfileDto)
  profile?: ProfileDto;
}

export class ListRunsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @Uuid()
  conversationId?: string;
}
