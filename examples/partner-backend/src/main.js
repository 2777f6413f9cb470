// The example's one process: `npm start -w examples/partner-backend`.
import { serve } from './serve.js';
import { createServer } from './server.js';

await serve(createServer, process.env);
