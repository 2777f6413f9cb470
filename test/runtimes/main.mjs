// Entry point for runtimes with a command line.
import process from 'node:process';
import { tryOut } from './program.mjs';

console.log(JSON.stringify(await tryOut(JSON.parse(process.env['GIVEN'] ?? ''))));
