import { conversationIdParameter } from '@app/conversations';
import { Member, PageQuery } from '@app/http';
import { limits } from '@app/kernel';
import { list, oneOf, optional, shape, text, uuid, withoutOthers, type Shaped } from '@app/schema';
import { Profile } from './profile.schema';

const RunInput = withoutOthers(
  shape('RunInput', {
    text: text({ min: 1, max: limits.inputTextLengthMax, description: 'What the user says to the agent' }),
    artifactIds: optional(
      list(uuid(), {
        min: 0,
        max: limits.artifactIdsMax,
        description: 'Artifacts of the conversation that the message is about',
      }),
    ),
    replaces: optional(
      uuid({
        description:
          'A message of the user, to correct or repeat it: the agent reads nothing from it on any more, and the run answers in its place. ' +
          'Money that moved stays moved, and the agent reads that. Allowed while no run of the conversation is open or queued',
      }),
    ),
  }),
);

const whenBusy = ['reject', 'queue', 'steer'] as const;
export type WhenBusy = (typeof whenBusy)[number];

export class StartRunDto {
  @Member(uuid({ description: 'Where it speaks: a conversation of the user in which no other run is live' }))
  conversationId: string;

  @Member(
    optional(
      uuid({
        description:
          'Chosen by the client, it makes a retry safe: the same id and conversation answer the run that was recorded',
      }),
    ),
  )
  runId?: string;

  @Member(RunInput)
  input: Shaped<typeof RunInput>;

  @Member(optional(Profile))
  profile?: Profile;

  @Member(
    optional(
      oneOf(whenBusy, {
        description:
          'What happens while another run of the conversation is live or waits for the user: `reject` (the default) refuses with ' +
          '`run_active` while one is live, `queue` has this one wait and start by itself, `steer` says it to the live run',
      }),
    ),
  )
  whenBusy?: WhenBusy;
}

export class ListRunsDto extends PageQuery {
  @Member(
    optional(uuid({ description: 'Only runs of this conversation', examples: [conversationIdParameter.example] })),
  )
  conversationId?: string;
}
