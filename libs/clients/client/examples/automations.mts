import { isReason, type Schemas } from '@parley/client';

const rule: Schemas['AutomationDefinition'] = {
  name: 'Tell me when NEAR is cheap',
  prompt: 'price of NEAR',
  conversation: 'new',
  wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 3600 } },
  condition: null,
  firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'skip' },
};
const automation = await parley.automations.create(rule);
const automationId = automation.id;
const { behavior } = await parley.automations.status({ automationId });
console.log(behavior.text); // …

// Fires now, regardless of the schedule. The client makes the `idempotencyKey`, so that it fires once.
const { status } = await parley.automations.invoke({ automationId, revision: automation.revision });
console.log(status); // recorded
for await (const { trigger } of parley.automations.occurrences({ automationId })) console.log(trigger); // invoke

// An update names the revision that its writer has read: here the automation was renamed in between.
const { revision } = await parley.automations.get({ automationId });
await parley.automations.update({ automationId, revision, definition: { ...rule, name: 'NEAR is cheap' } });
await parley.automations.pause({ automationId, revision }).catch((error) => {
  if (isReason(error, 'automation_changed'))
    console.log('read it again'); // read it again
  else throw error;
});
await parley.automations.remove({ automationId });
