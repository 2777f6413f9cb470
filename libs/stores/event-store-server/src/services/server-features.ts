import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';

/** The release of EventStoreDB whose behaviour is served. */
const SERVED_VERSION = '24.10.0';
const STREAMS = 'event_store.client.streams.streams';
const METHODS = ['read', 'append', 'delete', 'tombstone', 'batchappend'];

/** The client asks for this before its first append: with `batchappend` listed, it appends in batches. */
export function supportedMethods(): SupportedMethods {
  const supported = new SupportedMethods();
  supported.setEventStoreServerVersion(SERVED_VERSION);
  supported.setMethodsList(
    METHODS.map((name) => {
      const method = new SupportedMethod();
      method.setServiceName(STREAMS);
      method.setMethodName(name);
      if (name === 'read') method.setFeaturesList(['position', 'events']);
      return method;
    }),
  );
  return supported;
}
