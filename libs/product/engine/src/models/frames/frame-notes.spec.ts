import { FrameNotes } from './frame-notes';

const named = (...names: (string | number | null)[]) => {
  const notes = new FrameNotes();
  for (const name of names) notes.nameModel(name);
  return notes.model;
};

it('the first name of a model counts', () => {
  expect(named(null, 'gpt-5-2026-08-07', 'other')).toBe('gpt-5-2026-08-07');
  expect(named('anthropic/claude@2026:beta')).toBe('anthropic/claude@2026:beta');
});

it.each(['', 'words of a person', 'x'.repeat(129), 'model\n', 7])('%j is no name of a model', (name) => {
  expect(named(name)).toBeNull();
});
