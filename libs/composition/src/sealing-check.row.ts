import { migration } from '@app/read-store';

export const sealingCheckMigrations = [
  // One value that is sealed with the same key as all other secrets here.
  migration(
    530,
    'CreateSealingCheck',
    'CREATE TABLE sealing_check (one boolean PRIMARY KEY DEFAULT true CHECK (one), sealed bytea NOT NULL)',
  ),
];
