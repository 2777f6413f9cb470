import { readdirSync } from 'node:fs';
import { toolClasses } from '../declared-tools';
import type { McpServers } from '../mcp/mcp-servers';
import { Tools } from '../tools';

/** 2,500 tokens of o200k, at its 4.17 bytes a token for these declarations. */
const bytesMax = 10_420;

/** The specification's tools, in the order in which runs have stored them. Tools that it does not name need no place here. */
const specified = [
  'wallet_balances',
  'token_price',
  'intents_transfer',
  'automation_create',
  'automation_update',
  'automation_list',
  'artifact_read',
  'current_time',
];

// Reason for the assertions: a tool's declaration uses none of its dependencies, and the registry nothing else of the servers.
const declared = toolClasses.map((Declared) => new Declared());
const reserved: string[] = [];
const servers = { reserve: (names: Iterable<string>) => reserved.push(...names), tools: [] } as unknown as McpServers;
const { own } = new Tools(declared, servers);

it('every file of a tool declares one, whose name and place no other has', () => {
  const files = readdirSync(__dirname).filter((file) => file.endsWith('.tool.ts'));
  const names = own.map(({ name }) => name);
  expect(names).toHaveLength(files.length);
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(declared.map(({ order }) => order)).size).toBe(names.length);
  expect(files).toEqual(names.map((name) => `${name.replaceAll('_', '-')}.tool.ts`).sort());
  expect(reserved).toEqual(names);
});

it('all tools that the specification names are there, in their order', () => {
  expect(own.map(({ name }) => name).filter((name) => specified.includes(name))).toEqual(specified);
});

it('the default tools are declared in at most 2,500 tokens', () => {
  const offers = own.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  expect(Buffer.byteLength(JSON.stringify(offers))).toBeLessThanOrEqual(bytesMax);
});
