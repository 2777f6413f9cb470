// The example's one process: `npm start -w examples/chat`.
import { serve } from 'partner-backend-example/src/serve.js';
import { createServer } from './server.js';

await serve(createServer, { PORT: '3001', ...process.env });
