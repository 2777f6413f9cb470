import type { StoredEvent } from '@app/event-store';
import { readAllEvents } from '../event-log';
import { LoopbackModels, type Provider, type RecordedRequest } from '../models';
import { type Deployment, startDeployment } from '../deployment';
import type { Frame, TestClient } from '../client';
import { journal } from './journeys';

/** A deployment in this process whose model is a scripted provider on loopback. */
export interface Stage {
  readonly models: LoopbackModels;
  readonly deployment: Deployment;
  stop(): Promise<void>;
}

/** @param env overrides the environment that the provider itself needs */
export async function startStage(provider: Provider, env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const models = await LoopbackModels.start(provider);
  try {
    const deployment = await startDeployment({ mode: 'in-process', env: { ...models.environment(), ...env } });
    const stop = async (): Promise<void> => {
      await deployment.stop();
      await models.close();
    };
    return { models, deployment, stop };
  } catch (error) {
    await models.close();
    throw error;
  }
}

/** Returns a conversation's events of one type, as its journal shows them. */
export async function eventsOf(user: TestClient, conversationId: string, type: string): Promise<Payload[]> {
  return (await journal(user, conversationId))
    .map(({ payload }) => payload)
    .filter((payload) => payload['type'] === type);
}

type Payload = Frame['data']['payload'];

/** Returns every event of the deployment whose type begins with the prefix. */
export async function recorded({ eventStoreUrl }: Deployment, prefix: string): Promise<StoredEvent[]> {
  return (await readAllEvents(eventStoreUrl)).filter(({ type }) => type.startsWith(prefix));
}

/** Returns the results of tools that a model was sent, newest last. */
export function resultsIn({ asked }: RecordedRequest): readonly string[] {
  return asked.messages.flatMap(({ results }) => results.map(({ content }) => content));
}
