import { operation } from '@app/http';
import { text } from '@app/schema';
import { assetFields, pageFields } from './browser-policy';

const described = (fields: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, text({ description: 'For browsers', examples: [value] })]),
  );

const page = { mediaType: 'text/html', description: 'A page for people' };
const name = { description: 'Of the page or file', example: 'first-run' };

export const readReference = operation('service.docs', {
  route: 'GET /docs',
  open: true,
  summary: 'The reference, rendered',
  answer: page,
  answerHeaders: described(pageFields),
  redirects: 'In a sandbox, from `localhost` to the base URL: requests that the page sends pass from there only',
});

export const readEventsReference = operation('service.docsEvents', {
  route: 'GET /docs/events',
  open: true,
  summary: "The journal's events, rendered",
  answer: page,
  answerHeaders: described(pageFields),
});

export const readGuide = operation('service.docsGuide', {
  route: 'GET /docs/guides/:name',
  open: true,
  summary: 'A guide',
  parameters: { name },
  answer: page,
  answerHeaders: described(pageFields),
});

export const readAsset = operation('service.docsAsset', {
  route: 'GET /docs/assets/:name',
  open: true,
  summary: 'A script, a style or an image of the pages',
  parameters: { name },
  answer: { mediaType: 'text/javascript', description: 'A script, a style or an image', binary: true },
  answerHeaders: described(assetFields),
});
