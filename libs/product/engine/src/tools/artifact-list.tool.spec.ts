import { asId, type ConversationId } from '@app/kernel';
import type { CallContext } from '../tool';
import { toolOf } from '../tool-declaration';
import { ArtifactList } from './artifact-list.tool';

const file = { artifactId: 'a', name: 'notes.txt', mediaType: 'text/plain', bytes: 3 };

/** What the tool answers in a conversation of these files. */
async function listed(artifacts: readonly object[], input = {}): Promise<unknown> {
  const states = { current: async () => ({ state: { artifacts } }) };
  // Reason for the assertions: of these parts the tool uses nothing else.
  const tool = toolOf(new ArtifactList(states as never));
  if (tool.consent !== 'auto') throw new Error('it needs no consent');
  const context = { conversationId: asId<ConversationId>('conversation') } as CallContext;
  return tool.run(input, context, new AbortController().signal);
}

it('artifact_list names the files of the conversation, without what only the store needs', async () => {
  expect(await listed([])).toEqual({ outcome: 'ok', result: { files: [] } });
  expect(await listed([{ ...file, sha256: 'secret' }])).toEqual({ outcome: 'ok', result: { files: [file] } });
});

it('artifact_list takes no conversation of the model’s choice', async () => {
  expect(await listed([file], { conversationId: 'other' })).toEqual({
    outcome: 'error',
    result: { error: 'the input must be {}' },
  });
});
