import {
  CursorText,
  Describe,
  IntegerText,
  Items,
  Nested,
  Optional,
  Text,
  Uuid,
  UuidList,
  Value,
  Whole,
} from '@app/http';
import { limits } from '@app/kernel';
import { text } from '@app/schema';
import { isOutputSchema, OutputSchema } from './output-schema';

class RunInputDto {
  @Text({ min: 1, max: limits.inputTextLengthMax })
  text: string;

  @Optional()
  @Describe('Artifacts of the conversation that the message is about')
  @UuidList({ max: limits.artifactIdsMax })
  artifactIds?: string[];
}

export class ProfileDto {
  @Optional()
  @Describe("One of the deployment's models; its default when absent")
  @Text({ min: 1, max: 256 })
  model?: string;

  @Optional()
  @Describe('What the model is told beside the conversation; it grants no permission')
  @Text({ max: limits.instructionsLengthMax })
  instructions?: string;

  @Optional()
  @Describe('Names of the tools that the run may call; every tool of the deployment when absent')
  @Items({
    max: limits.profileToolsMax,
    of: (item) => typeof item === 'string',
    what: 'the name of a tool',
    schema: text(),
  })
  tools?: string[];

  @Optional()
  @Describe(`Model steps, over all segments; ${limits.maxStepsDefault} when absent`)
  @Whole({ min: 1, max: limits.maxStepsMax })
  maxSteps?: number;

  @Optional()
  @Value('a JSON Schema of the supported keywords, at most 16 KiB', isOutputSchema, OutputSchema)
  outputSchema?: object;
}

export class StartRunDto {
  @Uuid()
  conversationId: string;

  @Optional()
  @Describe(
    'Chosen by the client, it makes a retry safe: the same id and conversation answer the run that was recorded',
  )
  @Uuid()
  runId?: string;

  @Nested(() => RunInputDto)
  input: RunInputDto;

  @Optional()
  @Nested(() => ProfileDto)
  profile?: ProfileDto;
}

export class ListRunsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('How many at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @Describe('Only runs of this conversation')
  @Uuid()
  conversationId?: string;
}
