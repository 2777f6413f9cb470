import { migration } from '@app/read-store';

/** The bindings of an automation's condition, spelled as in the index. */
export const bindings = `(definition::jsonb #> '{condition,bindings}')`;

export const sourceSamplesMigrations = [
  // Retained samples of sources. No read model, because past prices are recorded nowhere else.
  migration(
    680,
    'CreateSourceSamples',
    `
      CREATE TABLE source_samples (
        source_key text NOT NULL, at_ms bigint NOT NULL, status text NOT NULL, value jsonb, reason text,
        PRIMARY KEY (source_key, at_ms));
      CREATE INDEX source_samples_oldest ON source_samples (at_ms);
      CREATE INDEX automations_sources ON automations
        USING gin ((${bindings}) jsonb_path_ops)
        WHERE state = 'enabled' AND NOT completed;
    `,
  ),
];
