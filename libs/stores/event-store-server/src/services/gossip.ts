import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb';
import { UUID } from '@eventstore/db-client/generated/shared_pb';

/** A cluster of one, for clients that connect with `esdb+discover://`. */
export function clusterOfOne(instanceId: string, host: string, port: number): ClusterInfo {
  const id = new UUID();
  id.setString(instanceId);
  const endpoint = new EndPoint();
  endpoint.setAddress(host);
  endpoint.setPort(port);
  const member = new MemberInfo();
  member.setInstanceId(id);
  member.setTimeStamp((BigInt(Date.now()) * 10_000n).toString());
  member.setState(MemberInfo.VNodeState.LEADER);
  member.setIsAlive(true);
  member.setHttpEndPoint(endpoint);
  const cluster = new ClusterInfo();
  cluster.setMembersList([member]);
  return cluster;
}
