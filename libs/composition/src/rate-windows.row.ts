import { migration } from '@app/read-store';
import { rateWeightsMigration, rateWindowsMigration } from '@app/http';

export const rateWindowsMigrations = [
  // The tables and functions of the HTTP core's rate windows.
  migration(520, 'CreateRateWindows', rateWindowsMigration),
  // Requests that count as several.
  migration(725, 'WeighRequests', rateWeightsMigration),
];
