/** The answers to the questions that a client may ask before its first call. */
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb';
import { UUID } from '@eventstore/db-client/generated/shared_pb';

/** A cluster of one, for clients that connect with `esdb+discover://`. */
export function clusterOfOne(instanceId: string, host: string, port: number): ClusterInfo {
  const member = new MemberInfo()
    .setInstanceId(new UUID().setString(instanceId))
    .setTimeStamp((BigInt(Date.now()) * 10_000n).toString())
    .setState(MemberInfo.VNodeState.LEADER)
    .setIsAlive(true)
    .setHttpEndPoint(new EndPoint().setAddress(host).setPort(port));
  return new ClusterInfo().setMembersList([member]);
}

/** The release of EventStoreDB whose behaviour is served. */
const SERVED_VERSION = '24.10.0';
const STREAMS = 'event_store.client.streams.streams';
const METHODS = ['read', 'append', 'delete', 'tombstone', 'batchappend'];

/** The client asks for this before its first append: with `batchappend` listed, it appends in batches. */
export function supportedMethods(): SupportedMethods {
  const methods = METHODS.map((name) => {
    const method = new SupportedMethod().setServiceName(STREAMS).setMethodName(name);
    return name === 'read' ? method.setFeaturesList(['position', 'events']) : method;
  });
  return new SupportedMethods().setEventStoreServerVersion(SERVED_VERSION).setMethodsList(methods);
}
