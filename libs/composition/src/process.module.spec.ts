import { randomBytes } from 'node:crypto';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { HttpModule } from '@app/http';
import { readConfiguration } from '@app/settings';
import { createProcessModule } from './process.module';

/** Modules that start something at the end of the boot, in the order in which Nest calls them. */
async function startingModules(): Promise<unknown[]> {
  const configuration = readConfiguration({
    PARLEY_MODE: 'sandbox',
    PARLEY_SECRET_KEY: randomBytes(32).toString('base64'),
  });
  const root = createProcessModule({ configuration, roles: { api: true, worker: true } });
  const app = await NestFactory.createApplicationContext(HttpModule.around(root, configuration), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return [...app.get(ModulesContainer).values()]
    .sort((one, other) => other.distance - one.distance)
    .filter(({ providers }) => [...providers.values()].some(({ metatype }) => startsAtBoot(metatype)))
    .map(({ metatype }) => metatype);
}

function startsAtBoot(metatype: unknown): boolean {
  return typeof metatype === 'function' && Reflect.has(Object(metatype.prototype), 'onApplicationBootstrap');
}

it('registers handlers before anything starts that executes commands', async () => {
  const starting = await startingModules();
  expect(starting.length).toBeGreaterThan(5);
  expect(starting[0]).toBe(CqrsModule);
});
