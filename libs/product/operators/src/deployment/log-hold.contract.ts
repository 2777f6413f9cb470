import { operation, type OperationGroup } from '@app/http';
import { ResumeLogDto } from './log-hold.dto';
import { ChangeReason } from '../changes/operators.dto';
import { MadeChange, operatorsExamples } from '../changes/operators.schema';

export const auditGroup: OperationGroup = {
  name: 'audit',
  description: 'Whether the log of all events signs, and as which log',
};

const answer = { ...operatorsExamples.change, target: 'log' };

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
    answer: { ...answer, operation: 'audit.resume' },
  },
});

export const holdLog = operation('audit.hold', {
  route: 'POST /operator/v1/audit/hold',
  scope: 'deployment',
  summary: 'Let the log sign nothing until it is resumed',
  description:
    'For a copy that nothing here can tell from the original, such as a snapshot of a whole disk. Idempotent. Everything else goes on.',
  beyondSpecification: 'section 13: copies that cannot be recognised are held by hand',
  body: ChangeReason,
  answer: MadeChange,
  examples: { body: { reason: 'started from a snapshot' }, answer: { ...answer, operation: 'audit.hold' } },
});
