import { migration } from '@app/read-store';

export const sealingCheckMigrations = [
  // One sealed value that only the key opens which everything else here was sealed with.
  migration(
    530,
    'CreateSealingCheck',
    'CREATE TABLE sealing_check (one boolean PRIMARY KEY DEFAULT true CHECK (one), sealed bytea NOT NULL)',
  ),
];
