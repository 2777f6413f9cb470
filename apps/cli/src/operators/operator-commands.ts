import { membersOfDto, type Contract } from '@app/http';
import { isJsonObject, parseUuid, type JsonObject, type JsonValue } from '@app/kernel';
import { operatorApi, operatorContracts } from '@app/operators';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { showAnswer } from '../terminal/answers';
import { confirmed } from '../terminal/confirm';
import { openOperatorApi, succeeded, type Usage } from './operator-api';
import { nameInWords, nameOf } from './deployment-name';
import { hashOfHeldKey, keyIdOf, keyUsage, withHeldKey } from './key-commands';
import { outputLost } from '../terminal/lost-output';
import type { OperatorApi } from './operator-call';
import { beginScreen, JsonChunks, note, print } from '../terminal/output';
import { rebuildCommand } from './rebuild-command';
import { exportCommand } from './export-command';
import { refuseFlawed } from './flawed-answers';

const watchEveryMs = 2_000;

/**
 * Adds every operation of the operator API as `parley <noun> <verb>`: arguments are the parameters of its path, options the members of its
 * query or body, and all descriptions are those of its contract.
 */
export function operatorCommands(program: Command): void {
  for (const contract of operatorContracts) {
    const [noun = '', verb = ''] = contract.operation.split('.').map(kebab);
    if (contract.operation === 'projections.rebuild')
      nounOf(program, noun).addCommand(rebuildCommand(contract.summary));
    else if (contract.operation === 'users.export') nounOf(program, noun).addCommand(exportCommand(contract));
    else addOperation(nounOf(program, noun).command(verb), contract);
  }
}

function nounOf(program: Command, noun: string): Command {
  const group = operatorApi.groups.find(({ name }) => kebab(name) === noun);
  return (
    program.commands.find((command) => command.name() === noun) ??
    program.command(noun).description(group?.description ?? '')
  );
}

function addOperation(command: Command, contract: Contract): void {
  const names = [...contract.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  command.description(contract.summary);
  const members = membersIn(contract);
  if (contract.operation === 'keys.revoke') return addRevocation(command, contract, members);
  if (contract.operation === 'keys.find') return addFinding(command, contract);
  for (const name of names) command.addArgument(argumentOf(name, contract));
  for (const member of members) command.addOption(optionOf(member));
  if (isRaw(contract)) command.addHelpText('after', '\nIt is printed line by line as it comes, whatever --json says.');
  else if (contract.method === 'GET') command.option('--watch', 'show it again every two seconds');
  else command.option('--yes', 'do it without asking');
  command.action(async (...given: unknown[]) => {
    // Commander passes the arguments, then the options, then the command.
    const texts = given.slice(0, names.length).map(String);
    const path = names.reduce(
      (rest, name, at) => rest.replace(`:${name}`, encodeURIComponent(texts[at] ?? '')),
      contract.path,
    );
    await perform(command, contract, path, valuesOf(command, members));
  });
}

/** A key is revoked by its id or by the key itself. */
function addRevocation(command: Command, contract: Contract, members: readonly CallMember[]): void {
  const [{ description = '' } = {}] = Object.values(contract.parameters);
  const own = new Argument('[keyId]', description).argParser(uuidArgument);
  withHeldKey(command.addArgument(own)).option('--yes', 'do it without asking');
  for (const member of members) command.addOption(optionOf(member));
  command.action(async (keyId: string | undefined) => {
    const keySha256 = await hashOfHeldKey(command);
    if ((keyId === undefined) === (keySha256 === null))
      command.error('error: name one key, by its id or by --key-stdin');
    const api = await openOperatorApi();
    try {
      const id = keyId ?? (await keyIdOf(api, keySha256 ?? ''));
      const path = contract.path.replace(':keyId', encodeURIComponent(id));
      await change(command, api, contract, { path, body: valuesOf(command, members) });
    } finally {
      await api.close();
    }
  });
}

function addFinding(command: Command, contract: Contract): void {
  withHeldKey(command).action(async () => {
    const keySha256 = await hashOfHeldKey(command);
    if (keySha256 === null) command.error('error: give the key by --key-stdin or --key-file');
    await perform(command, contract, contract.path, { keySha256 });
  });
}

interface Asked {
  readonly watch?: boolean;
  readonly yes?: boolean;
}

async function perform(command: Command, contract: Contract, path: string, values: JsonObject): Promise<void> {
  const api = await openOperatorApi();
  try {
    if (isRaw(contract)) await printRaw(command, api, contract, `${path}${queryOf(values)}`);
    else if (contract.method === 'GET') await look(command, api, contract, `${path}${queryOf(values)}`);
    else await change(command, api, contract, { path, body: values });
  } finally {
    await api.close();
  }
}

/** Whether the operation returns anything but a JSON document. */
const isRaw = ({ answer }: Contract): boolean => answer !== null && 'mediaType' in answer;

async function printRaw(command: Command, api: OperatorApi, { scope }: Contract, path: string): Promise<void> {
  const chunks = new JsonChunks();
  const answered = await api.call({ method: 'GET', path, take: (chunk) => chunks.write(chunk) });
  succeeded(answered, scope, usageOf(command));
  await chunks.end();
}

async function look(command: Command, api: OperatorApi, { operation, scope }: Contract, path: string): Promise<void> {
  const { watch = false } = command.opts<Asked>();
  for (let count = 1; ; count += 1) {
    const body = succeeded(await api.call({ method: 'GET', path }), scope, usageOf(command));
    if (watch) {
      beginScreen();
      note(`${new Date().toISOString()}  look ${count}, again every ${watchEveryMs / 1_000} s; Ctrl-C ends it`);
    }
    print(command, body, showAnswer(body));
    if (!watch) return refuseFlawed(operation, body);
    if (outputLost.aborted) return;
    await sleep(watchEveryMs);
  }
}

/** Names the deployment, before and after the change. */
async function change(
  command: Command,
  api: OperatorApi,
  { method, scope, summary }: Contract,
  { path, body }: { readonly path: string; readonly body: JsonObject },
): Promise<void> {
  const deployment = await nameOf(api);
  const what = `${summary}: ${path.split('/').slice(3).join(' ')}, at ${nameInWords(deployment)}`;
  if (command.opts<Asked>().yes !== true) await confirmed(what);
  const made = succeeded(await api.call({ method, path, body }), scope, usageOf(command));
  const named = { ...(isJsonObject(made) ? made : {}), deployment: { ...deployment } };
  print(command, named, showAnswer(named));
}

function usageOf(command: Command): Usage {
  const optionFor = (member: string) => `--${kebab(member)}`;
  const isOption = (long: string) => command.options.some((option) => option.long === long);
  return {
    whereNamed: whereNamed(command),
    optionFor: (member) => (isOption(optionFor(member)) ? optionFor(member) : null),
    isChange: isOption('--yes'),
  };
}

/** How to find the name that a command takes; empty when it takes none. */
function whereNamed(command: Command): string {
  const noun = command.parent;
  if (noun?.name() === 'keys' && command.name() === 'find') return keyUsage.whereNamed;
  const [argument] = command.registeredArguments;
  if (noun === null || argument === undefined) return '';
  const lists = noun.commands.filter((one) => ['list', 'search'].includes(one.name()));
  // The list of automations has only those in trouble.
  const shows =
    noun.name() === 'automations'
      ? ['parley users show <userId>']
      : lists.map((one) => `parley ${noun.name()} ${one.name()}${neededBy(one)}`);
  const among = shows.length === 0 ? '' : `; ${shows.join(' and ')} shows what there is`;
  const ofUser =
    noun.name() === 'runs' && command.options.some(({ long }) => long === '--user')
      ? "; --user says whose, for an id of the partner's API"
      : '';
  const ofStream = noun.name() === 'streams' ? '; its name begins with its category, as in conversation-…' : '';
  return `${hintOfErasure.get(command.name()) ?? ''}nothing here has that ${argument.name()}${among}${ofUser}${ofStream}`;
}

const hintOfErasure = new Map([
  ['erasure', 'nobody asked for an erasure of that user (parley users erase does), or '],
  ['certificate', 'no erasure of that user is completed (parley users erasure says how far it is), or '],
]);

/** The options that a command requires, each with a place for its value. */
function neededBy({ options }: Command): string {
  return options.flatMap(({ long, mandatory }) => (mandatory && long != null ? ` ${long} …` : [])).join('');
}

function argumentOf(name: string, { parameters }: Contract): Argument {
  const { description = '', values } = parameters[name] ?? {};
  const argument = new Argument(`<${name}>`, description);
  if (values !== undefined) return argument.choices([...values]);
  return isId(name) ? argument.argParser(uuidArgument) : argument;
}

const isId = (name: string): boolean => /(Id|Key)$/.test(name);

function uuidArgument(given: string): string {
  const id = parseUuid(given);
  if (id === null) throw new InvalidArgumentError('It is no UUID.');
  return id;
}

type CallMember = ReturnType<typeof membersOfDto>[number];

/** The members of its query or its body: no operation has both. */
function membersIn({ query, body }: Contract): readonly CallMember[] {
  if (typeof body === 'function') return membersOfDto(body);
  return query === undefined ? [] : membersOfDto(query);
}

function optionOf({ name, required, schema }: CallMember): Option {
  const option = new Option(`--${kebab(name)} <${kindOf(schema)}>`, text(schema['description']));
  const values: unknown = schema['type'] === 'boolean' ? ['true', 'false'] : schema['enum'];
  if (Array.isArray(values)) option.choices(values.map(String));
  return required ? option.makeOptionMandatory() : option;
}

const kinds: Readonly<Record<string, string>> = { integer: 'number', boolean: 'true|false', array: 'a,b' };
const kindOf = ({ type }: JsonObject): string => kinds[text(type)] ?? 'text';
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

function valuesOf(command: Command, members: readonly CallMember[]): JsonObject {
  const given = command.opts<Readonly<Record<string, unknown>>>();
  const values = members.flatMap(({ name, schema }): [string, JsonValue][] => {
    const value = given[name];
    return typeof value === 'string' ? [[name, valueOf(schema, value)]] : [];
  });
  return Object.fromEntries(values);
}

/** Converts a given value to JSON; an invalid number is sent as it was written, and the service reports the error. */
function valueOf({ type }: JsonObject, given: string): JsonValue {
  if (type === 'array') return given.split(',').map((item) => item.trim());
  if (type === 'boolean') return given === 'true';
  return type === 'integer' && /^-?\d+$/.test(given) ? Number(given) : given;
}

function queryOf(values: JsonObject): string {
  const query = new URLSearchParams(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** `setCaps` as `set-caps`. */
function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
