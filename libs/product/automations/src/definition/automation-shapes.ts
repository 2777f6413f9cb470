import { boolean, integer, oneOf, orErased, shape, text, type Schema } from '@app/schema';
import type { Truncated } from './behavior';
import { definitionBounds } from './automation-definition';

/** Schema parts that several answers about automations share. */

/** The name of an automation. */
export const automationName = text({ min: 1, max: definitionBounds.nameLengthMax });

/** The name of an automation, as answers show it. */
export const shownName = orErased(automationName);

export const automationState = oneOf(['enabled', 'paused', 'archived']);

export const revision = text({
  pattern: /^[1-9][0-9]*\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  description: '`<definitionVersion>.<activation>` of exactly this version: writes send back the one just read',
});

export const definitionVersion = integer({ min: 1, description: 'Grows by one with each update' });

/** A text of at most `max` characters, and whether it was cut. @param name of this shape in the API documents */
export function truncatedText(name: string, max: number, description: string): Schema<Truncated> {
  return shape(
    name,
    { text: text({ max }), truncated: boolean({ description: 'Whether the text goes on' }) },
    { description },
  );
}
