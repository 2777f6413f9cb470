import { resumedAs } from '@app/audit';
import { Member, operation, type OperationGroup } from '@app/http';
import { boolean, oneOf, optional } from '@app/schema';
import { ChangeReason, MadeChange, madeExample, reasonedChange } from '../changes/operators.schema';

export class ResumeLogDto extends ChangeReason {
  @Member(
    oneOf(resumedAs, {
      description:
        '`copy`: the other one lives on, and this one gets a name of its own; `successor`: the other one is gone for good',
    }),
  )
  readonly as: (typeof resumedAs)[number];

  @Member(
    optional(
      boolean({
        description: 'Go on as a successor although a witness has seen more than there is here, or another tree',
      }),
    ),
  )
  readonly despiteWitnesses?: boolean;
}

export const auditGroup: OperationGroup = {
  name: 'audit',
  description: 'Whether the log of all events signs, and as which log',
};

export const resumeLog = operation('audit.resume', {
  route: 'POST /operator/v1/audit/resume',
  scope: 'deployment',
  summary: 'Let a log sign again that was restored or copied',
  description:
    'As a `copy` it signs under a name of its own, and its first event names the log that it was copied from, with its last checkpoint. As a ' +
    '`successor` it goes on under its own name, once its witnesses were asked: where one has seen more than there is here, or does not say, ' +
    'the call is refused and says what to do; `despiteWitnesses` helps only where it is known what each has seen.',
  beyondSpecification: 'section 13: a copy signs nothing before somebody says what it is',
  body: ResumeLogDto,
  answer: MadeChange,
  examples: {
    body: { as: 'copy', reason: 'a copy for tests' },
    answer: madeExample('audit.resume', 'log'),
  },
});

export const holdLog = operation('audit.hold', {
  route: 'POST /operator/v1/audit/hold',
  scope: 'deployment',
  summary: 'Let the log sign nothing until it is resumed',
  description:
    'For a copy that nothing here can tell from the original, such as a snapshot of a whole disk. Idempotent. Everything else goes on.',
  beyondSpecification: 'section 13: copies that cannot be recognised are held by hand',
  ...reasonedChange('audit.hold', 'log', 'started from a snapshot'),
});
