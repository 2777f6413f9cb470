import { ModulesContainer, NestFactory } from '@nestjs/core';
import { documentOf, HttpModule } from '@app/http';
import type { JsonObject } from '@app/kernel';
import type { Configuration } from '@app/settings';
import { partnerApi } from './partner-api';
import { createProcessModule } from './process.module';

/** The OpenAPI document that an api process of this configuration would serve; nothing is started for it. */
export async function openApiOf(configuration: Configuration): Promise<JsonObject> {
  const root = createProcessModule({ configuration, roles: { api: true, worker: false } });
  const app = await NestFactory.createApplicationContext(HttpModule.around(root, configuration), {
    preview: true, // the modules are put together, and none is instantiated
    logger: false,
    abortOnError: false,
  });
  return documentOf(app.get(ModulesContainer), configuration, partnerApi);
}
