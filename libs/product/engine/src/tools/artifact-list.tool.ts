import { Injectable } from '@nestjs/common';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { object, withoutOthers, type Shaped } from '@app/schema';
import type { CallContext, ToolResult } from '../tool';
import type { AutoDeclaration } from '../tool-declaration';

const input = withoutOthers(object({}));

/** The files of the run's own conversation, those that came in earlier turns included. */
@Injectable()
export class ArtifactList implements AutoDeclaration<Shaped<typeof input>> {
  readonly order = 65;
  readonly name = 'artifact_list';
  readonly description = 'The files of this conversation.';
  readonly input = input;
  readonly inputWords = '{}';
  readonly effect = 'repeatable';
  readonly consent = 'auto';

  constructor(private readonly states: FoldedStates) {}

  async run(_: Shaped<typeof input>, { conversationId }: CallContext): Promise<ToolResult> {
    const { state } = await this.states.current(conversationKind, conversationId);
    const files = state.artifacts.map(({ artifactId, name, mediaType, bytes }) => {
      return { artifactId, name, mediaType, bytes };
    });
    return { outcome: 'ok', result: { files } };
  }
}
