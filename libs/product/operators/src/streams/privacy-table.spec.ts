import { readFileSync } from 'node:fs';
import { withMembers } from './privacy-table';

const page = readFileSync('docs/privacy.md', 'utf8');

it('docs/privacy.md has every member of every stored event, as the code marks it', () => {
  expect(withMembers(page)).toBe(page);
  expect(page).toContain('| `conversation` | `conversation.created` | `title` | `origin`, `automationId`, `userId` |');
});
